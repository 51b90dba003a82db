"""A prediction: whole microseconds that C = A.T @ B.T takes on an H200 at the least, by the roofline."""

from torch import nn

from course.tasks import Case

M = 2048
K = 8192
N = 4096
OPERATIONS_PER_MICROSECOND = 67_000_000  # 67 TFLOP/s: NVIDIA's data sheet of the H200, fp32
BYTES_PER_MICROSECOND = 4_250_000  # 4.25 TB/s: a copy of 6 GiB, measured on an H200


class Model(nn.Module):
    def forward(self) -> int:
        arithmetic = 2 * M * N * K // OPERATIONS_PER_MICROSECOND
        memory = 4 * (K * M + N * K + M * N) // BYTES_PER_MICROSECOND
        return max(arithmetic, memory)


def get_inputs() -> list:
    return []


CASES = [Case()]
