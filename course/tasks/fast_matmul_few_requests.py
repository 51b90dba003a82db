"""C = A.T @ B.T with the tile chosen by the shape, judged by its requests to global memory as well."""

from course.tasks import Case
from course.tasks.fast_matmul import *  # noqa: F403

LANES = 32


def case(M: int, N: int, K: int, rows: int, columns: int) -> Case:
    """A block with a tile of `rows` x `columns` copies, for each k, a row of A's tile by float4 and one of B's by
    floats, and stores its tile by float4.

    Half as much again is allowed, so that a tile with twice the rows and columns is too much where it is half empty.
    """
    blocks = -(-M // rows) * -(-N // columns)
    accesses = blocks * (K * (rows // 4 + columns) + rows * columns // 4)
    return Case({"M": M, "N": N, "K": K}, most={"requests": 3 * accesses // (2 * LANES)})


CASES = [case(64, 64, 64, 64, 64), case(60, 64, 120, 64, 64), case(128, 64, 48, 128, 64)]
