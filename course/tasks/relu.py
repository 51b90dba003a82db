"""C = relu(A): every negative element becomes 0. A and C are (M, N), float32. KernelBench, level 1, problem 19."""

import torch
from torch import nn

from course.tasks import Case, few_requests

M = 4096
N = 393216


class Model(nn.Module):
    def forward(self, A: torch.Tensor) -> torch.Tensor:
        return torch.relu(A)


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(M, N) * 1.5 - 0.25]


SIZES = {
    "tiny": {"M": 37, "N": 52},
    "small": {"M": 1024, "N": 16384},
    "medium": {"M": 4096, "N": 65536},  # 1 GiB: fits a T4
    "full": {"M": 4096, "N": 393216},
}

CASES = [
    Case({"M": 64, "N": 64}),
    Case({"M": 33, "N": 36}),
    Case({"M": 41, "N": 25}),  # 1025 elements: 1 past the last multiple of 4
    Case({"M": 18, "N": 57}),  # 2 past the last multiple of 4
    Case({"M": 31, "N": 33}),  # 3 past the last multiple of 4
    Case({"M": 11, "N": 373}),  # 3 past the last multiple of 4, and more than one block
    Case({"M": 33, "N": 36}, layout="offset"),
    Case({"M": 41, "N": 25}, layout="offset"),
    Case({"M": 20, "N": 30}, values="special"),
    *(Case({"M": rows, "N": columns}) for rows, columns in ((0, 8), (1, 1), (1, 2), (1, 3), (1, 4), (1, 5))),
]


def sum_length() -> int:
    return 1


def bytes_moved() -> int:
    return 2 * 4 * M * N


def operations() -> int:
    return M * N


def mistakes(A: torch.Tensor) -> dict[str, torch.Tensor]:
    C = torch.relu(A)
    place = torch.arange(A.numel(), device=A.device).view(A.shape) % 4  # in a group of four elements
    sentences = {
        "The result is min(A, 0): the comparison is the wrong way round.": torch.where(A > 0, 0.0, A),
        "The result is |A|: negative elements lost their sign, but they should become 0.": A.abs(),
        "NaN became 0: fmaxf(x, 0) returns the operand that is a number, and x > 0 is false for NaN. relu keeps NaN, "
        "as x < 0 ? 0 : x does.": torch.where(A.isnan(), 0.0, C),
        "Of each group of four elements, only the first went through relu: .y, .z and .w are stored as loaded.": (
            torch.where(place == 0, C, A)
        ),
    }
    if A.numel() % 4 == 0:
        first = C.reshape(-1, 4)[:, :1].expand(-1, 4).reshape(A.shape)
        sentences["Each group of four elements holds its first element four times: only .x was stored."] = first
    return sentences


def many_threads(M: int, N: int) -> Case:
    """A case of more than 32,768 elements: in a kernel of one block, a thread has more than 32 of them."""
    return Case({"M": M, "N": N}, budget={"elements_per_thread": 32}, asks="a thread for each float4")


VARIANTS = {
    "relu_aligned": {
        "__doc__": "relu of tensors of any length that start on a multiple of 16 bytes, by float4.",
        "CASES": [
            few_requests(64, 64),
            few_requests(41, 401),
            *(case for case in CASES[1:] if case.layout == "contiguous"),
            Case({"M": 4, "N": 5003}),
            many_threads(17, 1931),
        ],
    },
    "relu_any": {
        "__doc__": "relu of any tensor, by float4 where it starts on a multiple of 16 bytes.",
        "CASES": [few_requests(64, 64), *CASES[1:]],
    },
}
