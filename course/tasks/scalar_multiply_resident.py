"""A prediction: threads that a multiprocessor of an H200 holds at a time where blocks have 32 threads."""

from torch import nn

from course.tasks import Case

BLOCK = 32  # threads
# CUDA C++ Programming Guide, "Technical Specifications per Compute Capability", 9.0
MAX_BLOCKS = 32
MAX_THREADS = 2048


class Model(nn.Module):
    def forward(self) -> int:
        return min(MAX_BLOCKS * BLOCK, MAX_THREADS)


def get_inputs() -> list:
    return []


CASES = [Case()]
