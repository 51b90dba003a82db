"""A prediction: blocks of 256 threads with 128 registers each that a multiprocessor holds."""

from torch import nn

from course.tasks import Case

# CUDA C++ Programming Guide, "Technical Specifications per Compute Capability", 9.0
REGISTERS = 65536  # of 32 bits, of a multiprocessor
THREADS = 256
REGISTERS_A_THREAD = 128


class Model(nn.Module):
    def forward(self) -> int:
        return REGISTERS // (THREADS * REGISTERS_A_THREAD)


def get_inputs() -> list:
    return []


CASES = [Case()]
