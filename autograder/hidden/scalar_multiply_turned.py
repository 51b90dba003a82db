"""Hidden cases of scalar_multiply_turned: other sizes, sectors, NaN and infinities."""

from course.tasks import Case, cases
from course.tasks.scalar_multiply import turned

CASES = [
    *cases("M N", (3, 2), (31, 129), (257, 65), layout="transposed"),
    turned(96, 32, "sectors"),
    Case({"M": 29, "N": 23}, layout="transposed", values="special"),
]
