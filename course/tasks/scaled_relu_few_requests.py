"""relu(diag(A) @ B * s), judged by its requests to global memory as well."""

from course.tasks import Case
from course.tasks.scaled_relu import *  # noqa: F403


def case(M: int, N: int) -> Case:
    """A case whose rows start on 16 bytes: N is a multiple of 4.

    The least is a request to load and one to store for each 128 elements of B and C: 32 lanes with 16 bytes each. As
    many again leave room for the loads of A, up to one with each load of B, and for warps that are not full at the end
    of a row; one float a lane asks for four times the least without them.
    """
    least = 2 * M * -(-N // 128)
    return Case({"M": M, "N": N}, most={"requests": 2 * least})


CASES = [case(16, 1024), case(24, 640)]
