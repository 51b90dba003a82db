"""relu of tensors that start on 16 bytes, judged by its requests to global memory as well."""

from course.tasks import Case
from course.tasks.relu import *  # noqa: F403


def case(M: int, N: int) -> Case:
    """The least is a request to load and one to store for each 128 elements: 32 lanes with 16 bytes each.

    The tail, up to 3 elements, needs a few more. Half as much again leaves room for them and for blocks of another
    size; one float a lane needs four times the least, a float2 twice.
    """
    least = 2 * -(-M * N // 128)
    return Case({"M": M, "N": N}, most={"requests": 3 * least // 2})


CASES = [case(64, 256), case(41, 401)]
