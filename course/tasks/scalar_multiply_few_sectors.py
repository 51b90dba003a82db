"""Scalar multiply, judged by the sectors of global memory that it asks for as well."""

from course.tasks import Case
from course.tasks.scalar_multiply import *  # noqa: F403


def case(M: int, N: int) -> Case:
    """The least is each element of A and of C once: M * N / 8 sectors of 8 floats, rounded up, for each.

    Warps that ask for 32 neighbours each time reach it. Half as much again leaves room for blocks that are no multiple
    of a warp; a thread that takes four neighbours, one after the other, asks for each sector four times.
    """
    least = 2 * -(-M * N // 8)
    return Case({"M": M, "N": N}, most={"sectors": 3 * least // 2})


CASES = [case(64, 256), case(127, 129)]
