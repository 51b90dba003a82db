"""Hidden cases of scaled_relu: other sizes, long rows, long columns, views, special values."""

from course.tasks import Case

CASES = [
    Case({"M": 0, "N": 0}),
    Case({"M": 1, "N": 4099}),
    Case({"M": 2, "N": 4100}),
    Case({"M": 4099, "N": 1}),
    Case({"M": 1021, "N": 4}),
    Case({"M": 67, "N": 1021}),
    Case({"M": 41, "N": 43}, layout="offset"),
    Case({"M": 7, "N": 1024}, layout="offset"),
    Case({"M": 29, "N": 24}, values="special"),
]
