"""The transposed product by a wrapper that refuses what its kernel cannot take: a tensor on the host, of another dtype
or shape, or not contiguous."""

from course.tasks.transposed_matmul import *  # noqa: F403

CASES = [*CASES, *REFUSALS]  # noqa: F405
