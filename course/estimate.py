"""What counted traffic says of the time on a GPU that is not here: an estimate by its data sheet, no measurement."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from course.plots import show_flops, show_ms, three_digits

APART = 1.5  # times the DRAM bytes of another: what is nearer, the caches that are not modelled could turn round


@dataclass(frozen=True)
class DataSheet:
    """What NVIDIA says of a GPU: bytes a second of its memory, fp32 operations a second."""

    name: str
    bandwidth: float
    peak_flops: float

    def ms(self, dram_bytes: float, operations: int) -> float:
        """The higher of two times in milliseconds: of the bytes, and of the operations. See `Timings.roof`."""
        return max(dram_bytes / self.bandwidth, operations / self.peak_flops) * 1e3

    def __str__(self) -> str:
        return f"{self.name}: {three_digits(self.bandwidth / 1e12)} TB/s, {show_flops(self.peak_flops)}"


# The data sheets "NVIDIA H200 Tensor Core GPU" (its SXM form) and "NVIDIA T4 Tensor Core GPU".
SHEETS = (DataSheet("H200", 4.8e12, 67e12), DataSheet("T4", 320e9, 8.1e12))


@dataclass(frozen=True)
class Estimates:
    """Variants of one task, at `sizes`, by the bytes that DRAM must move for them.

    `over_least` has for each variant its DRAM bytes over `bytes_moved`, the least of the task: the sectors that each
    launch touches, 32 bytes each, counted at the sizes `counted_at`; the ratio is taken to be the same at `sizes`.
    `operations` are the task's fp32 operations.
    """

    sizes: Mapping[str, int]
    counted_at: Mapping[str, int]
    bytes_moved: int
    operations: int
    over_least: Mapping[str, float]

    @property
    def title(self) -> str:
        """What this is, and of what."""
        return f"Estimate, not measured: the least time of one call at {_shown(self.sizes)}"

    @property
    def assumption(self) -> str:
        """What must hold for it."""
        return (
            "Assumed: within a launch the caches keep everything, so that DRAM moves each sector that it reads or"
            f" writes once; and what was counted at {_shown(self.counted_at)} grows as the least bytes do. The time is"
            " the higher of those bytes at the data sheet's bandwidth and of the operations at its fp32 peak "
            f"({'; '.join(map(str, SHEETS))}). A GPU takes longer."
        )

    def rows(self) -> list[tuple[str, ...]]:
        """A table, its heads first."""
        heads = (
            "estimate",
            "bytes of DRAM",
            "over the least",
            *(f"{sheet.name}, by its data sheet" for sheet in SHEETS),
        )
        return [heads, *map(self._row, self.over_least)]

    def _row(self, name: str) -> tuple[str, ...]:
        moved = self.dram_bytes(name)
        times = (show_ms(sheet.ms(moved, self.operations)) for sheet in SHEETS)
        return (name, f"{three_digits(moved / 1e6)} MB", three_digits(self.over_least[name]), *times)

    def dram_bytes(self, name: str) -> float:
        """What DRAM must move for a variant at `sizes`."""
        return self.over_least[name] * self.bytes_moved

    def order(self, name: str, others: Iterable[str]) -> str:
        """One variant beside others, in a few words."""
        places: dict[str, list[str]] = {}
        for other in others:
            places.setdefault(self._place(name, other), []).append(other)
        return "; ".join(f"{place} {', '.join(beside)}" for place, beside in places.items())

    def _place(self, name: str, other: str) -> str:
        mine, its = self.dram_bytes(name), self.dram_bytes(other)
        same_time = any(sheet.ms(mine, self.operations) == sheet.ms(its, self.operations) for sheet in SHEETS)
        if same_time or max(mine, its) < APART * min(mine, its):
            return "not distinguishable by traffic from"
        return "faster, by its traffic, than" if mine < its else "slower, by its traffic, than"


def _shown(sizes: Mapping[str, int]) -> str:
    return ", ".join(f"{name} = {value}" for name, value in sizes.items())
