"""Hidden cases of fast_matmul: other sizes near tile edges, long and empty sums, views, special values."""

from course.tasks import Case

CASES = [
    Case({"M": 131, "N": 135, "K": 29}),
    Case({"M": 132, "N": 68, "K": 50}),
    Case({"M": 255, "N": 257, "K": 15}),
    Case({"M": 61, "N": 64, "K": 72}),
    Case({"M": 3, "N": 2, "K": 1021}),
    Case({"M": 1, "N": 257, "K": 7}),
    Case({"M": 257, "N": 1, "K": 16}),
    Case({"M": 128, "N": 64, "K": 31}),
    Case({"M": 64, "N": 132, "K": 8}),
    Case({"M": 33, "N": 1, "K": 0}),
    Case({"M": 0, "N": 0, "K": 0}),
    Case({"M": 40, "N": 36, "K": 32}, layout="offset"),
    Case({"M": 29, "N": 23, "K": 11}, values="special"),
]
