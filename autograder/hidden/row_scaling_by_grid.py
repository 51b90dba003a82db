"""Hidden cases of row_scaling_by_grid: those of row_scaling, a tall matrix, and inputs that the wrapper must refuse."""

from autograder.hidden import row_scaling
from course.tasks import Case, refusals, with_budget
from course.tasks.row_scaling import TWO_DIMENSIONS

CASES = [
    *with_budget(
        row_scaling.CASES,
        {"threads_along_x": 1024, "elements_per_thread": 64},
        {"M": 1021, "N": 67},
        asks=TWO_DIMENSIONS,
    ),
    Case({"M": 65_600, "N": 1}),  # more rows than a grid has blocks along y
    *refusals({"M": 33, "N": 17}, "host:1", "dtype:0", "shape:0", "short:0", "transposed"),
    Case({"M": 33, "N": 17}, dtype="float64", expect="error"),
]
