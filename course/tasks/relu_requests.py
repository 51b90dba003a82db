"""A prediction: requests and sectors with which a warp reads 128 neighbouring floats, by float4 and one by one."""

from torch import nn

from course.tasks import Case

LANES = 32
SECTOR = 32  # bytes
FLOATS = 128  # four for each lane


class Model(nn.Module):
    def forward(self) -> dict[str, int]:
        sectors = 4 * FLOATS // SECTOR
        return {
            "float4 requests": FLOATS // (4 * LANES),
            "float4 sectors": sectors,
            "scalar requests": FLOATS // LANES,
            "scalar sectors": sectors,
        }


def get_inputs() -> list:
    return []


CASES = [Case()]
