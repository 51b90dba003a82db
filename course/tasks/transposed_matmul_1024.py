"""The transposed product at sizes at which a block an output can be timed, and one that takes turns be emulated."""

from course.tasks.transposed_matmul import *  # noqa: F403

SIZES = {"tiny": {"M": 13, "N": 17, "K": 259}, "small": {"M": 1024, "N": 1024, "K": 1024}}

CASES = [
    Case({"M": 13, "N": 17, "K": 259}),  # noqa: F405
    Case({"M": 17, "N": 13, "K": 31}),  # noqa: F405
    Case({"M": 5, "N": 7, "K": 0}),  # noqa: F405
    Case({"M": 3, "N": 5, "K": 1031}),  # noqa: F405
    Case({"M": 4, "N": 6, "K": 2}, values="special"),  # noqa: F405
]
