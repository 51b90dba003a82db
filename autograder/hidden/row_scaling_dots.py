"""Hidden cases of row_scaling_dots: other sizes, rows shorter than a warp, long rows, views, special values."""

from course.tasks import Case
from course.tasks.row_scaling_backward import BY_SHUFFLES, SHUFFLES

CASES = [
    *(Case({"M": rows, "N": columns}) for rows, columns in ((0, 0), (7, 0), (1025, 2), (2, 32), (6, 255), (4, 1023))),
    Case({"M": 3, "N": 20011}, budget=SHUFFLES, asks=BY_SHUFFLES),
    Case({"M": 11, "N": 67}, layout="offset"),
    Case({"M": 29, "N": 23}, values="special"),
]
