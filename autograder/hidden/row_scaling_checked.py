"""Hidden cases of row_scaling_checked: the cases of row_scaling, and inputs that the wrapper must refuse."""

from autograder.hidden import row_scaling
from course.tasks import Case, refusals

CASES = [
    *row_scaling.CASES,
    *refusals({"M": 33, "N": 17}, "host:1", "dtype:0", "shape:0", "short:0", "transposed"),
    Case({"M": 33, "N": 17}, dtype="float64", expect="error"),
]
