"""Hidden cases of row_scaling_limit: rows of one float4, long rows, many rows, special values."""

from course.tasks import Case, few_requests
from course.tasks.row_scaling import split_rows

CASES = [
    Case({"M": 0, "N": 0}),
    Case({"M": 1, "N": 4100}),
    Case({"M": 16411, "N": 4}),  # more than the 64 KiB of constant memory
    *(Case({"M": rows, "N": columns}) for rows, columns in ((2, 12), (3, 5124), (127, 128), (1021, 68))),
    Case({"M": 29, "N": 1028}, values="special"),
    few_requests(1, 40960),
    split_rows(135168),
]
