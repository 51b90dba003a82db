"""C = A + B: vectors of the same length, float32."""

import torch
from torch import nn

from course.tasks import ASKS_FOR_ONE_THREAD, ONE_THREAD_PER_ELEMENT, Case, with_budget

N = 1 << 26


class Model(nn.Module):
    def forward(self, A: torch.Tensor, B: torch.Tensor) -> torch.Tensor:
        return A + B


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(N) * 1.5 + 0.25, torch.randn(N) * 0.75 - 0.5]


SIZES = {"tiny": {"N": 1000}, "small": {"N": 1 << 20}, "full": {"N": 1 << 26}}

CASES = [
    *(Case({"N": length}) for length in (0, 1, 255, 256, 257, 1023, 1024, 1025, 10007)),
    Case({"N": 500}, values="special"),
]


def sum_length() -> int:
    return 1


def bytes_moved() -> int:
    return 3 * 4 * N


def operations() -> int:
    return N


def mistakes(A: torch.Tensor, B: torch.Tensor) -> dict[str, torch.Tensor]:
    return {
        "The result is A - B: the sign is wrong.": A - B,
        "The result is A * B: the operation is wrong.": A * B,
    }


# A thread of a single block would have 20 elements or more, and a thread of an honest kernel has not more than 16. In
# an honest kernel, only the threads that round up the grid have no element.
SPREAD = Case(
    {"N": 20_011},
    budget={"elements_per_thread": 16, "idle_threads": 20_011 // 4},
    asks=ASKS_FOR_ONE_THREAD,
)

VARIANTS = {
    "vector_add_by_element": {
        "__doc__": "A + B with one thread per element.",
        "CASES": [*with_budget(CASES, ONE_THREAD_PER_ELEMENT, {"N": 1025}), SPREAD],
    },
}
