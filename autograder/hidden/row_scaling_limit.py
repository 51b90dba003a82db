"""Hidden cases of row_scaling_limit: rows of one float4, long rows, many rows, special values."""

from course.tasks import Case, cases, few_requests
from course.tasks.row_scaling import split_rows

CASES = [
    *cases("M N", (0, 0), (1, 4100)),
    Case({"M": 16411, "N": 4}),  # more than the 64 KiB of constant memory
    *cases("M N", (2, 12), (3, 5124), (127, 128), (1021, 68)),
    Case({"M": 29, "N": 1028}, values="special"),
    few_requests(1, 40960),
    split_rows(135168),
]
