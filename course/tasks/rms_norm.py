"""Y[i][j] = X[i][j] * W[j] / sqrt(mean of X[i][k]² over k + eps): RMSNorm, and its gradients.

X and Y are (M, N), and W is (N,), all float32; N is at most 4096. KernelBench, level 1, problem 36, has images instead.
"""

import torch
from torch import nn

from course.tasks import Case, cases, refusals

M = 4096
N = 4096
ZEROS = 0  # 1: every second row has only zeros
EPS = 1e-3  # as large as the mean square of every second row, so that each use of it shows


def normalized(X: torch.Tensor, eps: float) -> torch.Tensor:
    return X * (X.square().mean(1, keepdim=True) + eps).rsqrt()


class Model(nn.Module):
    def forward(self, X: torch.Tensor, W: torch.Tensor, eps: float) -> torch.Tensor:
        return normalized(X, eps) * W


class Gradients(nn.Module):
    def forward(
        self, X: torch.Tensor, W: torch.Tensor, dY: torch.Tensor, eps: float
    ) -> tuple[torch.Tensor, torch.Tensor]:
        return gradient(X, W * dY, eps), (dY * normalized(X, eps)).sum(0)


def gradient(X: torch.Tensor, G: torch.Tensor, eps: float, share: float = 1.0) -> torch.Tensor:
    """The gradient for X, if G is that for the normalized X; `share` times what all elements have in common."""
    r = (X.square().mean(1, keepdim=True) + eps).rsqrt()
    return r * G - share * r**3 * X * (G * X).mean(1, keepdim=True)


def get_tensors() -> list[torch.Tensor]:
    scale = torch.where(torch.arange(M) % 2 == 0, 1.0, 0.0 if ZEROS else 0.03)
    return [(torch.randn(M, N) + 0.5) * scale[:, None], torch.randn(N) * 0.5 + 1]


def get_inputs() -> list[torch.Tensor | float]:
    return [*get_tensors(), EPS]


def get_gradient_inputs() -> list[torch.Tensor | float]:
    return [*get_tensors(), torch.randn(M, N) * 1.25 + 0.25, EPS]


SIZES = {"tiny": {"M": 7, "N": 300}, "small": {"M": 512, "N": 1024}, "full": {"M": 4096, "N": 4096}}

# Sizes of both directions. Without rows, no kernel needs to run for the gradient for W. In a row of one element, the
# two terms of dX cancel, so that a right answer has few right digits.
SHAPES = ((8, 0), (300, 2), (37, 31), (6, 35), (20, 256), (5, 259), (3, 4096))


def few_passes(M: int, N: int, passes: float, asks: str, **budget: int) -> Case:
    """A case with a budget of `passes` over an M x N matrix, as wavefronts of the L1 cache.

    These count once what nvcc loads once. Sectors have room for more, and show neighbouring threads that are far apart.
    """
    wavefronts = int(passes * M * N / 32)
    budget |= {"sectors": 6 * wavefronts, "l1_wavefronts": wavefronts}
    return Case({"M": M, "N": N}, budget=budget, asks=asks)


# A row of X, W and Y are three passes. A second load of X makes four.
IN_REGISTERS = few_passes(1, 4096, 3.5, "one load of each element of X, by all threads of a block", idle_threads=128)
# X, W, dY and dX are four passes. If a block has four rows, its row of partial sums, which is stored and loaded, is
# half a pass, and another load of W in each row is one more. A second load of X and dY makes at least six and a half.
PARTIAL_ROWS = few_passes(1056, 128, 5.75, "one load of each element of X and dY, and partial sums of several rows")
CASES = [
    IN_REGISTERS,
    Case({"M": 1, "N": 1}),
    *cases("M N", *SHAPES),
    Case({"M": 9, "N": 41}, layout="offset"),
    Case({"M": 20, "N": 30}, values="special"),
    *refusals({"M": 6, "N": 35}, "host:0", "dtype:1", "short:1", "transposed"),
]


def sum_length() -> int:
    return max(M, N, 16)


def bytes_moved() -> int:
    return 4 * (2 * M * N + N)


def operations() -> int:
    return 4 * M * N


def mistakes(X: torch.Tensor, W: torch.Tensor, eps: float) -> dict[str, torch.Tensor]:
    if not X.numel() or W.shape != (N,):
        return {}
    square = X.square().mean(1, keepdim=True)
    found = {
        "eps is added outside of the root: it belongs to the mean, under the root.": X / (square.sqrt() + eps) * W,
        "eps is missing: add it to the mean, under the root.": X / square.sqrt() * W,
        "The sum of the squares is not divided by N: the root is that of their mean.": (
            X * (N * square + eps).rsqrt() * W
        ),
        "The result is not multiplied by W.": normalized(X, eps),
        "The root is missing: divide by the root of the mean square.": X / (square + eps) * W,
        "The elements are multiplied by the root, but must be divided by it.": X * (square + eps).sqrt() * W,
        "The mean is subtracted, as in LayerNorm: RMSNorm only divides.": (
            normalized(X - X.mean(1, keepdim=True), eps) * W
        ),
    }
    if M > 1 and M <= N:
        found["W[row] is used, but each column has its own factor, W[column]."] = normalized(X, eps) * W[:M, None]
    for threads in (256, 128, 512, 1024):
        if threads < N:
            first = X[:, :threads].square().sum(1, keepdim=True) / N
            found[
                f"Only the first {threads} elements of a row are in the mean: each thread must add up all of its own."
            ] = X * (first + eps).rsqrt() * W
    return found


def gradient_mistakes(X: torch.Tensor, W: torch.Tensor, dY: torch.Tensor, eps: float) -> dict[str, torch.Tensor]:
    if not X.numel() or dY.shape != X.shape or W.shape != (N,):
        return {}
    r = (X.square().mean(1, keepdim=True) + eps).rsqrt()
    return {
        "dX lacks the second term: each element also changes the root, by which its whole row is divided.": (
            gradient(X, W * dY, eps, 0)
        ),
        "The second term of dX has the wrong sign: a larger root makes every element smaller.": (
            gradient(X, W * dY, eps, -1)
        ),
        "The second term of dX has the sum over the row in place of the mean: divide by N.": (
            gradient(X, W * dY, eps, N)
        ),
        "dX is computed from dY: W must be a factor of it first.": gradient(X, dY, eps),
        "The second term of dX lacks W: the mean is that of W * dY * X.": (
            r * W * dY - r**3 * X * (dY * X).mean(1, keepdim=True)
        ),
        "The second term of dX has r where r³ belongs.": r * W * dY - r * X * (W * dY * X).mean(1, keepdim=True),
        "dW is computed from X: multiply each element by its row's r first.": (dY * X).sum(0),
        "dW has W as a factor: the gradient of W * x for W is x.": W * (dY * normalized(X, eps)).sum(0),
        "dW is the sum of dY: multiply each element by the normalized element of X.": dY.sum(0),
        "dW has only the last row of each block: a thread adds up all rows of its block, with +=.": (
            (dY * normalized(X, eps))[-264:].sum(0)  # the notebook's blocks
        ),
    }


VARIANTS = {
    "rms_norm_backward": {
        "__doc__": "The gradients of RMSNorm for X and W, the same bits in each run.",
        "Model": Gradients,
        "get_inputs": get_gradient_inputs,
        "CASES": [
            PARTIAL_ROWS,
            *cases("M N", *SHAPES, (1030, 33)),
            Case({"M": 9, "N": 41}, layout="offset"),
            Case({"M": 20, "N": 30}, values="special"),
            *refusals({"M": 6, "N": 35}, "host:0", "dtype:1", "short:2", "transposed"),
        ],
        "REPRODUCIBLE": True,
        "bytes_moved": lambda: 4 * (3 * M * N + 2 * N),
        "operations": lambda: 10 * M * N,
        "mistakes": gradient_mistakes,
    },
}
