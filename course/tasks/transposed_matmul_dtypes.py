"""The transposed product of float32 and of float64, by one wrapper."""

from course.tasks.transposed_matmul import *  # noqa: F403

CASES = [
    Case({"M": 37, "N": 41, "K": 53}),  # noqa: F405
    Case({"M": 37, "N": 41, "K": 53}, dtype="float64"),  # noqa: F405
    Case({"M": 33, "N": 31, "K": 65}, dtype="float64"),  # noqa: F405
    Case({"M": 65, "N": 17, "K": 1}),  # noqa: F405
    Case({"M": 5, "N": 7, "K": 0}, dtype="float64"),  # noqa: F405
    Case({"M": 0, "N": 8, "K": 8}, dtype="float64"),  # noqa: F405
    Case({"M": 5, "N": 3, "K": 2111}, dtype="float64"),  # noqa: F405
]
