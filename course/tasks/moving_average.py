"""C[i][j] = (B[i][j - 1] + B[i][j] + B[i][j + 1]) / 3, with 0 beyond the ends of a row. B, C are (M, N), float32."""

import torch
from torch import nn

from course.tasks import Case, cases, refusals

M = 4096
N = 4096


class Model(nn.Module):
    def forward(self, B: torch.Tensor) -> torch.Tensor:
        around = nn.functional.pad(B, (1, 1))
        return (around[:, :-2] + B + around[:, 2:]) / 3


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(M, N) * 1.5 + 0.25]


def through_tiles(N: int) -> Case:
    """A case of three rows of N elements, for tiles of 256 that the threads share, with two barriers for each.

    A block's 8 warps make 8 requests to load a tile, 2 for its neighbours, and 8 to store: 18. If the warps exchange
    their elements by shuffles, and load both neighbours themselves, they are 24, and if each thread loads all three
    elements that it needs, 32.
    """
    tiles = -(-N // 256)
    budget = {"elements_per_thread": 64, "requests": 3 * 26 * tiles, "barriers": 2 * tiles + 1}
    return Case({"M": 3, "N": N}, budget=budget, asks="tiles that the threads share, with two barriers for each")


CASES = [
    *cases("M N", (0, 8), (8, 0), (1, 1), (7, 31), (2, 255), (3, 256), (300, 3)),
    *(Case({"M": 2, "N": N}) for N in (257, 511, 512, 513, 1500)),
    through_tiles(1024),
    Case({"M": 9, "N": 410}, layout="offset"),
    Case({"M": 2, "N": 300}, values="special"),
    *refusals({"M": 20, "N": 32}, "host:0", "dtype:0", "transposed"),
]
CLUE = "Load each element into the tile once, and wait only when the tile is full and before it is overwritten."


def sum_length() -> int:
    return 3


def mistakes(B: torch.Tensor) -> dict[str, torch.Tensor]:
    model, place = Model(), torch.arange(N, device=B.device) % 256
    right, around = model(B), nn.functional.pad(B, (1, 1)) / 3
    return {
        "The sum is not divided by 3.": right * 3,
        "The first element of each tile of 256 has no left neighbour.": right - around[:, :-2] * (place == 0),
        "The last element of each tile of 256 has no right neighbour.": right - around[:, 2:] * (place == 255),
        "Each tile of 256 elements is averaged on its own: its ends need the elements of the tiles around it.": (
            torch.cat([model(tile) for tile in B.split(256, -1)], -1)
        ),
    }
