"""Hidden cases of rms_norm_backward: other sizes, rows of zeros, views, special values."""

from course.tasks import Case
from course.tasks.rms_norm import PARTIAL_ROWS

CASES = [
    PARTIAL_ROWS,
    *(Case({"M": rows, "N": columns}) for rows, columns in ((7, 0), (1025, 2), (531, 67), (4, 1023), (2, 4095))),
    Case({"M": 12, "N": 70, "ZEROS": 1}),
    Case({"M": 11, "N": 67}, layout="offset"),
    Case({"M": 29, "N": 23}, values="special"),
]
