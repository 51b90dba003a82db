"""The author's test of the clinic's first patient in notebook 04: sums of one tile of 16 or less."""

from course.tasks.tiled_matmul import *  # noqa: F403
from course.tasks.tiled_matmul import Case

CASES = [Case({"M": 64, "N": 64, "K": 16}), Case({"M": 37, "N": 41, "K": 11}), Case({"M": 100, "N": 50, "K": 16})]
