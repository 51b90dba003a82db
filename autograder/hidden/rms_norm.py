"""Hidden cases of rms_norm: other lengths of a row, rows of zeros, views, special values."""

from course.tasks import Case
from course.tasks.rms_norm import IN_REGISTERS

CASES = [
    IN_REGISTERS,
    Case({"M": 0, "N": 0}),
    Case({"M": 0, "N": 8}),
    Case({"M": 1025, "N": 2}),
    Case({"M": 6, "N": 255}),
    Case({"M": 4, "N": 1023}),
    Case({"M": 2, "N": 4095}),
    Case({"M": 12, "N": 70, "ZEROS": 1}),
    Case({"M": 11, "N": 67}, layout="offset"),
    Case({"M": 29, "N": 23}, values="special"),
]
