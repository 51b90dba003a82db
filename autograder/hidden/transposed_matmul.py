"""Hidden cases of transposed_matmul: other sizes, long sums, long rows and columns, views, special values.

The cases with a budget need one thread per element, and neighbouring threads along the rows of C.
"""

from course.tasks import ASKS_FOR_ONE_THREAD, ONE_THREAD_PER_ELEMENT, Case
from course.tasks.transposed_matmul import along_rows

CASES = [
    *(Case({"M": rows, "N": columns, "K": terms}) for rows, columns, terms in (
        (43, 47, 59), (61, 29, 23), (0, 0, 0), (1, 9, 0), (1, 1, 8209),
    )),
    Case({"M": 1, "N": 1031, "K": 3}, budget=ONE_THREAD_PER_ELEMENT, asks=ASKS_FOR_ONE_THREAD),
    Case({"M": 1031, "N": 1, "K": 3}, budget=ONE_THREAD_PER_ELEMENT, asks=ASKS_FOR_ONE_THREAD),
    along_rows(104, 96),
    Case({"M": 2, "N": 3, "K": 5}),
    Case({"M": 131, "N": 3, "K": 127}),  # A is larger than the 64 KiB of constant memory; in the next case, B is
    *(Case({"M": rows, "N": columns, "K": terms}) for rows, columns, terms in (
        (3, 131, 127), (127, 33, 65), (33, 129, 17), (96, 96, 96), (13, 11, 1021),
    )),
    Case({"M": 37, "N": 31, "K": 41}, layout="offset"),
    Case({"M": 29, "N": 23, "K": 2}, values="special"),
]  # fmt: skip
