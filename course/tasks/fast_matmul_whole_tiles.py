"""C = A.T @ B.T where M and N are multiples of 128 and K is one of 8: kernels without guards.

The larger products have `most`, so that they are traced, whatever they cost: several steps, and several blocks.
"""

from course.tasks import Case
from course.tasks.fast_matmul import *  # noqa: F403


def case(M: int, N: int, K: int) -> Case:
    """A block on 128 x 128 elements of C asks for 128 elements of A and of B for each k, 32 sectors, and stores its
    tile once, 2048 sectors. Half as much again is allowed; tiles of half the side ask for twice as much of A and B.
    """
    blocks = M // 128 * (N // 128)
    return Case({"M": M, "N": N, "K": K}, most={"sectors": 3 * blocks * (32 * K + 2048) // 2})


CASES = [
    case(128, 128, 40),
    case(128, 256, 24),
    Case({"M": 256, "N": 128, "K": 24}),
    Case({"M": 128, "N": 128, "K": 8}),
    Case({"M": 128, "N": 128, "K": 64}),
    Case({"M": 128, "N": 128, "K": 0}),
    Case({"M": 0, "N": 128, "K": 8}),
    Case({"M": 128, "N": 0, "K": 8}),
]
