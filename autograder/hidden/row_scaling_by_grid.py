"""Hidden cases of row_scaling_by_grid: the cases of row_scaling, a wide grid, inputs that the wrapper must refuse."""

from autograder.hidden import row_scaling
from course.tasks import Case, refusals

CASES = [
    *row_scaling.CASES,
    Case({"M": 70, "N": 1030}, budget={"threads_along_x": 2048}, asks="a 2-D grid, in which y counts the rows"),
    *refusals({"M": 33, "N": 17}, "host:1", "dtype:0", "shape:0", "short:0", "transposed"),
    Case({"M": 33, "N": 17}, dtype="float64", expect="error"),
]
