"""C = s * A + B: vectors of the same length, float32, and a number s."""

import torch
from torch import nn

from course.tasks import ONE_THREAD_PER_ELEMENT, Case, refusals, with_budget
from course.tasks.vector_add import SPREAD

N = 1 << 26


class Model(nn.Module):
    def forward(self, s: float, A: torch.Tensor, B: torch.Tensor) -> torch.Tensor:
        return s * A + B


def get_inputs() -> list:
    # float32 represents s exactly, so a kernel with a float parameter loses nothing.
    s = (torch.rand((), device="cpu") * 2 - 1.5).item()
    return [s, torch.randn(N) * 1.5 + 0.25, torch.randn(N) * 0.75 - 0.5]


def sum_length() -> int:
    return 2


SIZES = {"tiny": {"N": 1000}, "small": {"N": 1 << 20}, "full": {"N": 1 << 26}}

CASES = [
    *(Case({"N": length}) for length in (0, 1, 255, 256, 257, 10007)),
    Case({"N": 500}, values="special"),
    *refusals({"N": 20}, "host:1", "dtype:2", "shape:1", "short:1", "transposed"),
]


def bytes_moved() -> int:
    return 3 * 4 * N


def operations() -> int:
    return 2 * N


# One kernel moves three arrays: it reads A and B and writes C. Each array has N / 8 sectors of 8 floats. Two kernels,
# one for the product and one for the sum, move five such arrays, 5/3 of the least. The budget is 1.5 times the least.
ONE_KERNEL = {**ONE_THREAD_PER_ELEMENT, "sectors_touched": 3 * 3 * -(-257 // 8) // 2}

VARIANTS = {
    "axpy_in_one_kernel": {
        "__doc__": "s * A + B by one kernel with one thread per element.",
        "CASES": [*with_budget(CASES, ONE_KERNEL, {"N": 257}), SPREAD],
    },
}
