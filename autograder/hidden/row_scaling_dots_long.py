"""Hidden cases of row_scaling_dots_long: the cases of row_scaling_dots without a budget, and other long rows."""

from autograder.hidden import row_scaling_dots
from course.tasks import Case
from course.tasks.row_scaling_backward import split_row

CASES = [
    *(case for case in row_scaling_dots.CASES if not case.budget),
    Case({"M": 2, "N": 20011}),
    split_row((1 << 20) + 4099),
    Case({"M": 3, "N": 70001}),
]
