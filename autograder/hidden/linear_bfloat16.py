"""Hidden cases of linear_bfloat16: other numbers of tiles and steps, NaN and infinity."""

from course.tasks import Case, cases
from course.tasks.linear_bfloat16 import by_tensor_cores

CASES = [
    by_tensor_cores(48, 16, 64),
    *cases("M N K", (16, 72, 16), (80, 8, 16), (0, 0, 16)),
    Case({"M": 16, "N": 24, "K": 80}, values="special"),
]
