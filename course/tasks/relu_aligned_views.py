"""A prediction: how many of the views A[0:], A[1:], ... A[15:] of a float32 vector begin on 16 bytes, where A does."""

from torch import nn

from course.tasks import Case

VIEWS = 16
VECTOR = 16  # bytes of a float4


class Model(nn.Module):
    def forward(self) -> int:
        return sum(4 * start % VECTOR == 0 for start in range(VIEWS))


def get_inputs() -> list:
    return []


CASES = [Case()]
