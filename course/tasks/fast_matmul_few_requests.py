"""C = A.T @ B.T with the tile chosen by the shape, judged by its requests to global memory as well."""

from course.tasks import Case
from course.tasks.fast_matmul import *  # noqa: F403

LANES = 32


def case(M: int, N: int, K: int, rows: int, columns: int) -> Case:
    """A block with a tile of `rows` x `columns` copies, for each k, a row of A's tile by float4 and one of B's by
    floats, and stores its tile by float4.

    A tenth more is allowed, which the notebook's other tile exceeds: a larger one that is half empty, or two smaller
    ones in place of it.
    """
    blocks = -(-M // rows) * -(-N // columns)
    accesses = blocks * (K * (rows // 4 + columns) + rows * columns // 4)
    return Case({"M": M, "N": N, "K": K}, most={"requests": 11 * accesses // (10 * LANES)})


# The emulator, which counts, has an H200's 132 multiprocessors. Of 136 blocks of 128 x 64 the busiest one has two: 4
# warps of 4096 outputs, one a scheduler. Of 272 blocks of 64 x 64 it has three: 6 warps of 2048, two of them on the
# busiest schedulers. These are equals, so the first is right, though the busiest multiprocessor makes less with the
# smaller tile.
CASES = [case(64, 64, 64, 64, 64), case(60, 64, 120, 64, 64), case(1024, 1088, 16, 128, 64)]
