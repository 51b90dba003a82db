"""C = A.T @ B.T without shared memory, judged by the sectors of global memory that it asks for as well."""

from course.tasks import Case
from course.tasks.transposed_matmul import *  # noqa: F403


def case(M: int, N: int, K: int) -> Case:
    """A warp on 32 neighbours of a column of C asks, for each k, for 32 floats of A, 4 sectors, and for one of B.

    5 in all is the least for 32 sums, one a lane, and there are K such steps; each lane then stores into a row of its
    own, 32 sectors. Twice the steps' part leaves room for rows that begin within a sector and blocks of another shape.
    A warp along a row of C asks for 1 and 32 in each step, one that goes along k for its sums for 32 and 4.
    """
    warps = -(-M // 32) * N
    return Case({"M": M, "N": N, "K": K}, most={"sectors": warps * (2 * 5 * K + 32)})


CASES = [case(64, 48, 40), case(70, 33, 51)]
