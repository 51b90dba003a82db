"""Scalar multiply of more elements than an int can count: 2**31 + 8 of them, in half: 4 GiB in and 4 GiB out."""

import torch

from course.tasks.scalar_multiply import *  # noqa: F403

M = 8
N = 2**28 + 1


def get_inputs() -> list:
    s = (torch.rand((), dtype=torch.float64, device="cpu") + 0.5).item()
    return [torch.randn(M, N, dtype=torch.float16), s]


def bytes_moved() -> int:
    return 2 * 2 * M * N


SIZES = {"tiny": {"M": 37, "N": 53}, "full": {"M": 8, "N": 2**28 + 1}}
CASES = [Case({"M": 37, "N": 53})]  # noqa: F405
