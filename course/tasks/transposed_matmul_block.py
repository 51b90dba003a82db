"""The transposed product at sizes that a block an output can be timed at."""

from course.tasks.transposed_matmul import *  # noqa: F403

SIZES = {"tiny": {"M": 13, "N": 17, "K": 259}, "small": {"M": 1024, "N": 1024, "K": 1024}}
