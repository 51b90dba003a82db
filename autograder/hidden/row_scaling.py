"""Hidden cases of row_scaling: other sizes, long rows, long columns, views, special values."""

from course.tasks import Case

CASES = [
    Case({"M": 0, "N": 0}),
    Case({"M": 1, "N": 4099}),
    Case({"M": 16411, "N": 1}),  # more than the 64 KiB of constant memory
    *(Case({"M": rows, "N": columns}) for rows, columns in (
        (2, 3), (127, 129), (129, 127), (96, 96), (1021, 67), (67, 1021),
    )),
    Case({"M": 43, "N": 41}, layout="offset"),  # in float32, 41 * (1 / 41) is less than 1
    Case({"M": 29, "N": 23}, values="special"),
]  # fmt: skip
