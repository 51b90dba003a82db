"""Hidden cases of rms_norm: other lengths of a row, rows of zeros, views, special values."""

from course.tasks import Case
from course.tasks.rms_norm import IN_REGISTERS

CASES = [
    IN_REGISTERS,
    *(Case({"M": rows, "N": columns}) for rows, columns in ((0, 0), (0, 8), (1025, 2), (6, 255), (4, 1023), (2, 4095))),
    Case({"M": 12, "N": 70, "ZEROS": 1}),
    Case({"M": 11, "N": 67}, layout="offset"),
    Case({"M": 29, "N": 23}, values="special"),
]
