"""Hidden cases of scalar_multiply_turned: other sizes, sectors, NaN and infinities."""

from course.tasks import Case
from course.tasks.scalar_multiply import turned

CASES = [
    Case({"M": 3, "N": 2}, layout="transposed"),
    Case({"M": 31, "N": 129}, layout="transposed"),
    Case({"M": 257, "N": 65}, layout="transposed"),
    turned(96, 32, "sectors"),
    Case({"M": 29, "N": 23}, layout="transposed", values="special"),
]
