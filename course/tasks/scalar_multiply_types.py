"""Scalar multiply of half, float and double; the scalar loses no more than PyTorch's own does."""

from course.tasks.scalar_multiply import *  # noqa: F403

CASES = [
    Case({"M": 0, "N": 8}, dtype="float16"),  # noqa: F405
    Case({"M": 37, "N": 53}),  # noqa: F405
    Case({"M": 37, "N": 53}, dtype="float16"),  # noqa: F405
    Case({"M": 37, "N": 53}, dtype="float64"),  # noqa: F405
    Case({"M": 31, "N": 33, "EXPONENT": 5}, dtype="float16"),  # noqa: F405
    Case({"M": 20, "N": 30}, dtype="float16", values="special"),  # noqa: F405
    Case({"M": 20, "N": 30}, dtype="bfloat16", expect="error"),  # noqa: F405
    Case({"M": 20, "N": 30}, change="host:0", expect="error"),  # noqa: F405
    Case({"M": 20, "N": 30}, layout="transposed", expect="error"),  # noqa: F405
]
