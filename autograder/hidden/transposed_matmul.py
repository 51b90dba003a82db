"""Hidden cases of transposed_matmul: other sizes, long sums, long rows and columns, views, special values.

The cases with a budget need one thread per element, and neighbouring threads along the rows of C.
"""

from course.tasks import ASKS_FOR_ONE_THREAD, ONE_THREAD_PER_ELEMENT, Case
from course.tasks.transposed_matmul import along_rows

CASES = [
    Case({"M": 43, "N": 47, "K": 59}),
    Case({"M": 61, "N": 29, "K": 23}),
    Case({"M": 0, "N": 0, "K": 0}),
    Case({"M": 1, "N": 9, "K": 0}),
    Case({"M": 1, "N": 1, "K": 8209}),
    Case({"M": 1, "N": 1031, "K": 3}, budget=ONE_THREAD_PER_ELEMENT, asks=ASKS_FOR_ONE_THREAD),
    Case({"M": 1031, "N": 1, "K": 3}, budget=ONE_THREAD_PER_ELEMENT, asks=ASKS_FOR_ONE_THREAD),
    along_rows(104, 96),
    Case({"M": 2, "N": 3, "K": 5}),
    Case({"M": 131, "N": 3, "K": 127}),  # A is larger than the 64 KiB of constant memory; in the next case, B is
    Case({"M": 3, "N": 131, "K": 127}),
    Case({"M": 127, "N": 33, "K": 65}),
    Case({"M": 33, "N": 129, "K": 17}),
    Case({"M": 96, "N": 96, "K": 96}),
    Case({"M": 13, "N": 11, "K": 1021}),
    Case({"M": 37, "N": 31, "K": 41}, layout="offset"),
    Case({"M": 29, "N": 23, "K": 2}, values="special"),
]
