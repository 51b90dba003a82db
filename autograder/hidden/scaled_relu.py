"""Hidden cases of scaled_relu: other sizes, long rows, long columns, views, special values."""

from course.tasks import Case

CASES = [
    Case({"M": 0, "N": 0}),
    Case({"M": 1, "N": 4099}),
    Case({"M": 2, "N": 4100}),
    Case({"M": 4099, "N": 1}),
    Case({"M": 1021, "N": 4}),
    Case({"M": 67, "N": 1021}),
    Case({"M": 43, "N": 41}, layout="offset"),  # in float32, 41 * (1 / 41) is less than 1
    Case({"M": 7, "N": 1024}, layout="offset"),
    Case({"M": 9, "N": 516}, layout="offset:2"),
    Case({"M": 29, "N": 24}, values="special"),
]
