"""Hidden cases of row_scaling_dots: other sizes, rows shorter than a warp, long rows, views, special values."""

from course.tasks import Case
from course.tasks.row_scaling_backward import BY_SHUFFLES, SHUFFLES

CASES = [
    Case({"M": 0, "N": 0}),
    Case({"M": 7, "N": 0}),
    Case({"M": 1025, "N": 2}),
    Case({"M": 2, "N": 32}),
    Case({"M": 6, "N": 255}),
    Case({"M": 4, "N": 1023}),
    Case({"M": 3, "N": 20011}, budget=SHUFFLES, asks=BY_SHUFFLES),
    Case({"M": 11, "N": 67}, layout="offset"),
    Case({"M": 29, "N": 23}, values="special"),
]
