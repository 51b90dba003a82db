"""Hidden cases of linear_relu: other sizes, an empty output, short and long sums, views, special values."""

from course.tasks import Case

CASES = [
    Case({"M": 43, "N": 47, "K": 59}),
    Case({"M": 0, "N": 5, "K": 5}),
    Case({"M": 1, "N": 1, "K": 2003}),
    Case({"M": 2, "N": 4100, "K": 5}),
    Case({"M": 1031, "N": 4, "K": 3}),
    Case({"M": 33, "N": 128, "K": 17}, layout="offset"),
    Case({"M": 33, "N": 12, "K": 17}, layout="transposed"),
    Case({"M": 33, "N": 12, "K": 17}, layout="pitched"),
    Case({"M": 29, "N": 24, "K": 2}, values="special"),
]
