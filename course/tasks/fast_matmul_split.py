"""split(x): x as the sum of two numbers with the 11 significant bits of TF32, as torch.stack([big, small])."""

import torch
from torch import nn

from course.tasks import Case

N = 1000
CUT = 13  # how many of a float32's 24 significant bits TF32 does not have


class Model(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        big = rounded(x)
        return torch.stack([big, rounded(x - big)])


def rounded(x: torch.Tensor) -> torch.Tensor:
    """x rounded to 11 significant bits; a value half-way between two such numbers is rounded away from zero."""
    mantissa, exponent = torch.frexp(x.float())  # 0.5 <= |mantissa| < 1
    scale = 2.0 ** (24 - CUT)
    return torch.ldexp((mantissa.abs() * scale + 0.5).floor() / scale * mantissa.sign(), exponent)


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(N) * 10.0 ** torch.randint(-6, 7, (N,))]


CASES = [Case({"N": 1000}), Case({"N": 1}), Case({"N": 0})]


def sum_length() -> int:
    return 1


def mistakes(x: torch.Tensor) -> dict[str, torch.Tensor]:
    x = x.float()
    big = rounded(x)
    cut = (x.view(torch.int32) & -(1 << CUT)).view(torch.float32)
    return {
        "The last 13 bits are cut off, not rounded: before you mask, add half the value of the last bit that stays.": (
            torch.stack([cut, (((x - cut).view(torch.int32)) & -(1 << CUT)).view(torch.float32)])
        ),
        "small is x - big, but it is not rounded: it has up to 12 significant bits, and TF32 has only 11.": (
            torch.stack([big, x - big])
        ),
    }
