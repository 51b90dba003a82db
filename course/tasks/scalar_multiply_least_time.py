"""A prediction: whole microseconds in which an H200 can read A and write C at the least."""

from torch import nn

from course.tasks import Case

M = 65536
N = 16384
BYTES_PER_MICROSECOND = 4_250_000  # 4.25 TB/s: a copy of 6 GiB, measured on an H200


class Model(nn.Module):
    def forward(self) -> int:
        return 2 * 4 * M * N // BYTES_PER_MICROSECOND


def get_inputs() -> list:
    return []


CASES = [Case()]
