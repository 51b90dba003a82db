"""Hidden cases of linear_bfloat16: other numbers of tiles and steps, NaN and infinity."""

from course.tasks import Case
from course.tasks.linear_bfloat16 import by_tensor_cores

CASES = [
    by_tensor_cores(48, 16, 64),
    *(Case({"M": rows, "N": columns, "K": 16}) for rows, columns in ((16, 72), (80, 8), (0, 0))),
    Case({"M": 16, "N": 24, "K": 80}, values="special"),
]
