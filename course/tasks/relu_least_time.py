"""A prediction: milliseconds in which an H200 can read A and write C at the least."""

from torch import nn

from course.tasks import Case

M = 4096
N = 393216
BYTES_PER_SECOND = 4.25e12  # a copy of 6 GiB, measured on an H200


class Model(nn.Module):
    def forward(self) -> float:
        return 2 * 4 * M * N / BYTES_PER_SECOND * 1e3


def get_inputs() -> list:
    return []


CASES = [Case()]
