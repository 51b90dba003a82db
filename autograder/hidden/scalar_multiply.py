"""Hidden cases of scalar_multiply: other sizes, more elements than the grid has threads, special values."""

from course.tasks import Case

CASES = [
    Case({"M": 0, "N": 0}),
    Case({"M": 2, "N": 3}),
    Case({"M": 1, "N": 1023}),
    Case({"M": 1, "N": 1025}),
    Case({"M": 129, "N": 67}),
    Case({"M": 1031, "N": 1033}),
    Case({"M": 33, "N": 31}, layout="offset"),
    Case({"M": 29, "N": 23}, values="special"),
]
