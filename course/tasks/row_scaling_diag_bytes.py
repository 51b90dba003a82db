"""A prediction: bytes of torch.diag(A), for M float32 numbers."""

from torch import nn

from course.tasks import Case

M = 4096


class Model(nn.Module):
    def forward(self) -> int:
        return 4 * M * M


def get_inputs() -> list:
    return []


CASES = [Case()]
