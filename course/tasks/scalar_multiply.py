"""C = A * s: a matrix, float32, times a number s. KernelBench, level 1, problem 5, whose s is always 3.14."""

import torch
from torch import nn

from course.tasks import Case

M = 65536
N = 16384
EXPONENT = 0  # s is of the order of 10 ** EXPONENT, A of 10 ** -EXPONENT, so C of 1


class Model(nn.Module):
    def forward(self, A: torch.Tensor, s: float) -> torch.Tensor:
        return A * s


def get_inputs() -> list:
    # A double with all its bits, of either sign, between 1 and 4 in size.
    u = (torch.rand((), dtype=torch.float64, device="cpu") * 2 - 1).item()
    s = (3 * u + (1 if u >= 0 else -1)) * 10.0**EXPONENT
    return [(torch.randn(M, N) * 1.5 + 0.25) * 10.0**-EXPONENT, s]


def get_init_inputs() -> list:
    return []


SIZES = {
    "tiny": {"M": 37, "N": 53},
    "small": {"M": 16384, "N": 4096},
    "full": {"M": 65536, "N": 16384},
}

CASES = [
    Case({"M": 0, "N": 8}),
    Case({"M": 8, "N": 0}),
    Case({"M": 1, "N": 1}),
    Case({"M": 1, "N": 255}),
    Case({"M": 257, "N": 1}),
    Case({"M": 64, "N": 64}),
    Case({"M": 37, "N": 53}),
    Case({"M": 127, "N": 129}),
    Case({"M": 601, "N": 701}),  # more elements than an H200 has threads at a time
    Case({"M": 20, "N": 30}, values="special"),
]

REFUSALS = [
    Case({"M": 20, "N": 30}, change="host:0", expect="error"),
    Case({"M": 20, "N": 30}, change="dtype:0", expect="error"),
]


def bytes_moved() -> int:
    return 2 * 4 * M * N


def operations() -> int:
    return M * N


def mistakes(A: torch.Tensor, s: float) -> dict[str, torch.Tensor]:
    exact = torch.tensor(s, dtype=torch.float64)
    as_half, as_float = exact.half().item(), exact.float().item()
    rows, columns = A.shape
    by_type = {
        "A was multiplied by 3.14, whatever s is: take the scalar that is given.": A * 3.14,
        "s was cut to an integer on its way to the kernel; it must arrive as a floating-point number.": A * int(s),
        "The result is A + s: added instead of multiplied.": A + s,
        "The result is A / s: divided instead of multiplied.": A / s,
        "s was rounded to half, whose largest number is 65504, before it was used: keep s a float.": A * as_half,
        "s was rounded to float on its way to the kernel, and A is double: keep s a double there.": A * as_float,
        "A is double, and its memory was read as float: ask for the type that the tensor has.": (
            _read_as_float(A, s, torch.float64)
        ),
        "A is half, and its memory was read as float: ask for the type that the tensor has.": (
            _read_as_float(A, s, torch.float16)
        ),
    }
    if A.is_contiguous():
        return by_type
    # Memory read, or written, in an order that is not that of the other side.
    return by_type | {
        "A's memory was read in the order in which it lies, and A is not contiguous: element e of its memory is not "
        "element e of A.": A.mT.reshape(rows, columns) * s,
        "The kernel read a contiguous copy of A and wrote a C that is laid out as A was: make C like the copy.": (
            A.reshape(columns, rows).mT * s
        ),
    }


def _read_as_float(A: torch.Tensor, s: float, dtype: torch.dtype) -> torch.Tensor:
    """What a kernel stores that takes the memory of A, of that type, for floats; NaN where it stores nothing."""
    memory = A.to(dtype).flatten().clone()  # of its own: a view may not start where a float can
    C = torch.full_like(memory, float("nan"))
    floats = min(A.numel(), A.numel() * memory.itemsize // 4)
    reach = floats * 4 // memory.itemsize  # elements of `dtype` that so many floats fill
    floats = reach * memory.itemsize // 4
    C[:reach] = (memory[:reach].view(torch.float32)[:floats] * s).view(dtype)
    return C.view(A.shape).double()
