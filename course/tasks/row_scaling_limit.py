"""Row scaling by float4 where the rows allow it: cases at both sides of that, and a tiny size that does."""

from course.tasks import Case
from course.tasks.row_scaling import *  # noqa: F403

SIZES = {**SIZES, "tiny": {"M": 37, "N": 52}}  # noqa: F405

CASES = [
    *CASES,  # noqa: F405
    Case({"M": 53, "N": 36}),
    Case({"M": 5, "N": 2052}),  # one float4 more than two blocks of 128 threads with two each
    Case({"M": 33, "N": 36}, layout="offset"),
    Case({"M": 20, "N": 32}, values="special"),
    *REFUSALS,  # noqa: F405
    Case({"M": 20, "N": 1}, layout="transposed", expect="error"),  # of the two A alone is not contiguous
]
