"""Hidden cases of row_scaling_rounded: those of row_scaling, and sizes at which double also rounds to another row."""

from autograder.hidden import row_scaling
from course.tasks import Case

CASES = [
    *row_scaling.CASES,
    *(Case({"M": 130, "N": N}) for N in (47, 49, 83, 98, 103)),  # in double, 49 * (1 / 49) is less than 1
]
