"""Answers to `vector_add`, right and wrong, for the tests of what a notebook calls."""

from course import build
from tests.kernels import kernel

ADD = kernel("notebook/add")
SUBTRACT = ADD.replace("A[i] + B[i]", "A[i] - B[i]")
WILD = ADD.replace("C[i] = A[i] + B[i]", "C[i + (1LL << 40)] = A[i] + B[i]")
TYPO = ADD.replace("if (i < N) C[i]", "if (i < N) D[i]")

CANDIDATE = """
import torch


class ModelNew(torch.nn.Module):
    def forward(self, A, B):
        return A {} B
"""


def function(source, name="add"):
    return getattr(build.load_inline(name, cuda_sources=source, functions=[name]), name)
