"""Hidden cases of scalar_multiply_layouts: other sizes and layouts, NaN, infinities, inputs to refuse."""

from course.tasks import Case
from course.tasks.scalar_multiply import IN_ORDER

CASES = [
    Case({"M": 0, "N": 0}),
    Case({"M": 2, "N": 3}, layout="transposed"),
    Case({"M": 128, "N": 72}, layout="transposed", budget={"sectors": 2 * 2 * 1152}, asks=IN_ORDER),
    Case({"M": 129, "N": 67}, layout="transposed"),
    Case({"M": 65, "N": 130}, layout="pitched"),
    Case({"M": 1031, "N": 1033}),  # more than 1024 blocks of 1024 threads
    Case({"M": 65600, "N": 3}),  # more rows than a grid may have blocks in y
    Case({"M": 29, "N": 23}, layout="transposed", values="special"),
    Case({"M": 33, "N": 17}, dtype="float16", expect="error"),
    Case({"M": 33, "N": 17}, change="host:0", expect="error"),
]
