"""Hidden cases of row_scaling_checked: the cases of row_scaling, and inputs that the wrapper must refuse."""

from autograder.hidden import row_scaling
from course.tasks import Case

CASES = [
    *row_scaling.CASES,
    Case({"M": 33, "N": 17}, change="host:1", expect="error"),
    Case({"M": 33, "N": 17}, change="dtype:0", expect="error"),
    Case({"M": 33, "N": 17}, change="shape:0", expect="error"),
    Case({"M": 33, "N": 17}, change="short:0", expect="error"),
    Case({"M": 33, "N": 17}, layout="transposed", expect="error"),
    Case({"M": 33, "N": 17}, dtype="float64", expect="error"),
]
