"""Hidden cases of fast_matmul: other sizes near tile edges, long and empty sums, views, special values."""

from course.tasks import Case, cases

CASES = [
    *cases("M N K", (131, 135, 29), (132, 68, 50), (255, 257, 15), (61, 64, 72), (3, 2, 1021), (1, 257, 7)),
    *cases("M N K", (257, 1, 16), (128, 64, 31), (64, 132, 8), (33, 1, 0), (0, 0, 0)),
    Case({"M": 40, "N": 36, "K": 32}, layout="offset"),
    Case({"M": 29, "N": 23, "K": 11}, values="special"),
]
