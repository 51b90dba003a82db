"""Hidden cases of relu: other sizes and tails, views that start at an odd element, NaN, infinities and -0.0."""

from course.tasks import Case, few_requests
from course.tasks.relu import many_threads

CASES = [
    *(Case({"M": rows, "N": columns}) for rows, columns in ((0, 0), (1, 6), (1, 7), (3, 341), (513, 511), (1, 100003))),
    many_threads(3, 11003),
    Case({"M": 1031, "N": 1033}),  # more than 1024 blocks of 1024 threads
    few_requests(61, 127),
    Case({"M": 29, "N": 23}, values="special"),
    Case({"M": 1, "N": 1}, layout="offset"),
    Case({"M": 1, "N": 3}, layout="offset"),
    Case({"M": 48, "N": 44}, layout="offset"),
    Case({"M": 48, "N": 44}, layout="offset:2"),
    Case({"M": 37, "N": 53}, layout="offset:3"),
    Case({"M": 37, "N": 53}, layout="offset"),
    Case({"M": 23, "N": 31}, layout="offset", values="special"),
]
