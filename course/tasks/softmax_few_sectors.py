"""The softmax of rows, judged by the sectors of global memory that it asks for as well."""

from course.tasks import Case
from course.tasks.softmax import *  # noqa: F403


def case(M: int, N: int) -> Case:
    """A case with rows that begin on 16 bytes. The least is each element of A and of C once, 8 to a sector.

    A quarter as much again is allowed: who reads each row a second time asks for half as much again.
    """
    least = 2 * (M * N // 8)
    return Case({"M": M, "N": N}, most={"sectors": 5 * least // 4})


CASES = [case(4, 1024), case(3, 4096)]
