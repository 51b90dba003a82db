"""Hidden cases of scalar_multiply: other sizes, more elements than the grid has threads, special values."""

from course.tasks import Case

CASES = [
    *(Case({"M": rows, "N": columns}) for rows, columns in (
        (0, 0), (2, 3), (1, 1023), (1, 1025), (129, 67), (1031, 1033),
    )),
    Case({"M": 33, "N": 31}, layout="offset"),
    Case({"M": 29, "N": 23}, values="special"),
]  # fmt: skip
