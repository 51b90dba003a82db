"""Row scaling, judged by the sectors of global memory that it asks for as well."""

from course.tasks import Case
from course.tasks.row_scaling import *  # noqa: F403


def case(M: int, N: int) -> Case:
    """A case with rows that begin on a sector: N is a multiple of 8, and long enough that few threads are idle.

    The least is each element once: A has M / 8 sectors of 8 floats, B and C have M * N / 8 each. A warp on 32
    neighbours of a row asks for 4 sectors of B, 4 of C and 1 of A: 9, where the least is 8. Half as much again leaves
    room for blocks of another shape; where each thread has a row, each element takes a sector, 8 times the least.
    """
    least = M // 8 + 2 * (M * N // 8)
    return Case({"M": M, "N": N}, most={"sectors": 3 * least // 2})


CASES = [case(64, 512), case(40, 1000)]
