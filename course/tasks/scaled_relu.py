"""C = relu(diag(A) @ B * s). A is (M,), B and C are (M, N), float32, and s is a number."""

import torch
from torch import nn

from course.tasks import Case, refusals

M = 4096
N = 4096


class Model(nn.Module):
    def forward(self, A: torch.Tensor, B: torch.Tensor, s: float) -> torch.Tensor:
        return torch.relu(torch.diag(A) @ B * s)


def reference(A: torch.Tensor, B: torch.Tensor, s: float) -> torch.Tensor:
    # The same values without the zeros of diag(A): zero times infinity or NaN is NaN, which would fill whole columns.
    return torch.relu(A[:, None] * B * s)


def get_inputs() -> list:
    # float32 represents s exactly, so a kernel with a float parameter loses nothing. The sign of s is random.
    u = torch.rand((), device="cpu").item() * 2 - 1
    s = 2 * u + (0.5 if u >= 0 else -0.5)
    return [torch.randn(M) * 1.5 + 0.25, torch.randn(M, N) * 0.75 - 0.5, torch.tensor(s, device="cpu").item()]


SIZES = {"tiny": {"M": 37, "N": 52}, "small": {"M": 512, "N": 512}, "full": {"M": 4096, "N": 4096}}

CASES = [
    Case({"M": 0, "N": 8}),
    Case({"M": 37, "N": 53}),  # rows that do not start on a multiple of 16 bytes
    Case({"M": 53, "N": 36}),
    Case({"M": 20, "N": 32}, values="special"),
    *refusals({"M": 20, "N": 32}, "host:0", "dtype:1", "shape:0", "short:0", "transposed", "pitched"),
]


def sum_length() -> int:
    return 1


def bytes_moved() -> int:
    return 4 * (M + 2 * M * N)


def operations() -> int:
    return 3 * M * N
