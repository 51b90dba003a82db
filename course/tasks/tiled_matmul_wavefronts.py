"""A prediction: wavefronts of the store and of the load of B's tile, by a warp of a 16 x 16 block, in two layouts."""

from collections.abc import Iterable

from torch import nn

from course.tasks import Case

TILE = 16
BANKS = 32


def wavefronts(words: Iterable[int]) -> int:
    """The largest number of different words in one bank."""
    banks = [word % BANKS for word in set(words)]
    return max(banks.count(bank) for bank in banks)


class Model(nn.Module):
    def forward(self) -> dict[str, int]:
        lanes = [(lane % TILE, lane // TILE) for lane in range(32)]  # tx, ty of the block's first warp
        return {
            "[k][j] store": wavefronts(tx * TILE + ty for tx, ty in lanes),  # Bs[tx][ty]
            "[k][j] load": wavefronts(tx for tx, _ in lanes),  # Bs[k][tx], at k = 0
            "[j][k] store": wavefronts(ty * TILE + tx for tx, ty in lanes),  # Bs[ty][tx]
            "[j][k] load": wavefronts(tx * TILE for tx, _ in lanes),  # Bs[tx][k]
        }


def get_inputs() -> list:
    return []


CASES = [Case()]
