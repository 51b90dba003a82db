"""A prediction: wavefronts of the transposed store of B's tile, by the rows' length in words."""

from torch import nn

from course.tasks import Case

WIDE = 4  # floats of one load, along k
DEPTH = 8  # values of k in a step
BANKS = 32


def wavefronts(row: int) -> int:
    """Of a warp that stores the first float of each lane's float4 to Bs[k][j], whose rows are `row` words apart."""
    lanes = range(32)
    words = [lane % (DEPTH // WIDE) * WIDE * row + lane // (DEPTH // WIDE) for lane in lanes]
    banks = [word % BANKS for word in words]
    return max(banks.count(bank) for bank in banks)


class Model(nn.Module):
    def forward(self) -> dict[str, int]:
        return {"128": wavefronts(128), "129": wavefronts(129), "132": wavefronts(132)}


def get_inputs() -> list:
    return []


CASES = [Case()]
