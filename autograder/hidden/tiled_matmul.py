"""Hidden cases of tiled_matmul: other sizes around tile edges, long and empty sums, views, special values."""

from course.tasks import Case

CASES = [
    *(Case({"M": rows, "N": columns, "K": terms}) for rows, columns, terms in (
        (43, 35, 90), (47, 49, 63), (63, 65, 47), (65, 63, 1), (16, 32, 48), (31, 32, 33), (33, 17, 31), (2, 3, 1021),
        (1, 1, 33), (1, 257, 15), (257, 1, 15), (33, 1, 0), (0, 0, 0),
    )),
    Case({"M": 37, "N": 31, "K": 41}, layout="offset"),
    Case({"M": 29, "N": 23, "K": 2}, values="special"),
]  # fmt: skip
