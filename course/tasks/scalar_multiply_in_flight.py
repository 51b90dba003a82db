"""A prediction: floats that each of a multiprocessor's threads must have asked for to have 25 KB under way."""

from torch import nn

from course.tasks import Case

BYTES = 25_000
THREADS = 2048
FLOAT = 4  # bytes


class Model(nn.Module):
    def forward(self) -> int:
        return -(-BYTES // (THREADS * FLOAT))


def get_inputs() -> list:
    return []


CASES = [Case()]
