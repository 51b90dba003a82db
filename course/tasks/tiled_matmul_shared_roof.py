"""A prediction: how many times more multiply-adds a multiprocessor can do than shared memory feeds."""

from torch import nn

from course.tasks import Case

MULTIPLY_ADDS = 128  # of float32 that a multiprocessor of an H200 does in a clock
LANES = 32  # multiply-adds of one instruction of a warp
WAVEFRONTS = 2  # that this instruction needs, one for each factor; shared memory delivers one a clock


class Model(nn.Module):
    def forward(self) -> int:
        return WAVEFRONTS * MULTIPLY_ADDS // LANES


def get_inputs() -> list:
    return []


CASES = [Case()]
