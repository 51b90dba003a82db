"""Scalar multiply of a matrix in any order in memory, by a wrapper that refuses what its kernel cannot take."""

from course.tasks.scalar_multiply import *  # noqa: F403

# No square ones: a matrix read in the wrong order and one stored in the wrong order would look the same.
LAYOUTS = [
    Case({"M": 37, "N": 53}, layout="transposed"),  # noqa: F405
    Case({"M": 64, "N": 96}, layout="transposed"),  # noqa: F405
    Case({"M": 31, "N": 33}, layout="offset"),  # noqa: F405
    Case({"M": 36, "N": 52}, layout="pitched"),  # noqa: F405
]

CASES = [*CASES, *LAYOUTS, *REFUSALS]  # noqa: F405
