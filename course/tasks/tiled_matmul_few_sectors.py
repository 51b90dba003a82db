"""C = A.T @ B.T by tiles of 32 x 32, judged by the sectors of global memory that it asks for as well."""

from course.tasks import Case
from course.tasks.tiled_matmul import *  # noqa: F403


def case(M: int, N: int, K: int) -> Case:
    """A block on 32 x 32 elements of C asks, for each 32 values of k, for a tile of A and one of B.

    The least for one tile is 32 rows of 4 sectors, 128; the block's tile of C has as many. Half as much again leaves
    room for rows that begin within a sector and so touch 5. With tiles of 16 each element of A and B is asked for twice
    as often, without tiles by each warp, and down a column of B with a sector for each element.
    """
    blocks, steps, tile = -(-M // 32) * -(-N // 32), -(-K // 32), 128
    return Case({"M": M, "N": N, "K": K}, most={"sectors": 3 * blocks * (2 * steps + 1) * tile // 2})


CASES = [case(64, 96, 128), case(94, 63, 90)]
