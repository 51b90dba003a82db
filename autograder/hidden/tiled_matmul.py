"""Hidden cases of tiled_matmul: other sizes around tile edges, long and empty sums, views, special values."""

from course.tasks import Case

CASES = [
    Case({"M": 43, "N": 35, "K": 90}),
    Case({"M": 47, "N": 49, "K": 63}),
    Case({"M": 63, "N": 65, "K": 47}),
    Case({"M": 65, "N": 63, "K": 1}),
    Case({"M": 16, "N": 32, "K": 48}),
    Case({"M": 31, "N": 32, "K": 33}),
    Case({"M": 33, "N": 17, "K": 31}),
    Case({"M": 2, "N": 3, "K": 1021}),
    Case({"M": 1, "N": 1, "K": 33}),
    Case({"M": 1, "N": 257, "K": 15}),
    Case({"M": 257, "N": 1, "K": 15}),
    Case({"M": 33, "N": 1, "K": 0}),
    Case({"M": 0, "N": 0, "K": 0}),
    Case({"M": 37, "N": 31, "K": 41}, layout="offset"),
    Case({"M": 29, "N": 23, "K": 2}, values="special"),
]
