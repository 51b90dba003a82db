"""Hidden cases of row_scaling_dots_long: the cases of row_scaling_dots, and other long rows."""

from autograder.hidden import row_scaling_dots
from course.tasks import Case

CASES = [*row_scaling_dots.CASES, Case({"M": 1, "N": 131072}), Case({"M": 3, "N": 70001})]
