"""C = A.T @ B.T with the tile chosen by the shape, judged by the sectors of global memory that it asks for as well."""

from course.tasks import Case
from course.tasks.fast_matmul import *  # noqa: F403


def case(M: int, N: int, K: int, rows: int, columns: int) -> Case:
    """With tiles of `rows` x `columns` a block asks, for each k, for a row of each tile, and stores its tile once.

    Half as much again is allowed, so that a tile with twice the rows or columns in a product that fills half of it is
    too much.
    """
    blocks = -(-M // rows) * -(-N // columns)
    sectors = blocks * (K * (rows + columns) + rows * columns) // 8
    return Case({"M": M, "N": N, "K": K}, most={"sectors": 3 * sectors // 2})


CASES = [case(64, 64, 64, 64, 64), case(128, 64, 48, 128, 64), case(60, 64, 120, 64, 64)]
