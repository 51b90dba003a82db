"""The least time of a call on a card: the limits that the tracer's counts can tell, and the one that binds.

It is a bound for the loads as the source writes them, in the clearest case: the card does everything else meanwhile. A
kernel that waits for memory because it has too few loads in flight takes longer than each limit.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from course.device import FMA_PER_CLOCK
from course.errors import CourseError
from course.explain.counts import SECTOR, SPACES, Traffic


@dataclass(frozen=True)
class Card:
    """Constants of a GPU: its highest clock in Hz, and DRAM's bytes per second.

    A launch takes at least `launch_ms`, and `block_starts` blocks start per second; both are 0 if they were not
    measured.
    """

    name: str
    capability: tuple[int, int]
    multiprocessors: int
    clock: float
    bandwidth: float
    launch_ms: float = 0.0
    block_starts: float = 0.0

    @property
    def peak_flops(self) -> float:
        """32-bit operations per second; a multiply-add is two."""
        return self.multiprocessors * FMA_PER_CLOCK.get(self.capability, 128) * 2 * self.clock

    def __str__(self) -> str:
        return f"{'a' if self.name.startswith('T') else 'an'} {self.name}"


# Multiprocessors, clocks and bandwidths are those of NVIDIA's data sheets (H200 and H100: SXM; A100: 40 GB). For the
# H200 and the H100, the bandwidth is instead that of PyTorch's copies of 0.13 to 12.9 GB, and the rate of block starts
# that of 02's blocks of 32 threads. The launch is that of an empty kernel on an H200.
CARDS = (
    Card("H200", (9, 0), 132, 1.98e9, 4.305e12, 0.0028, 1.66e9),
    Card("H100", (9, 0), 132, 1.98e9, 3.030e12, 0.0028, 1.66e9),
    Card("A100", (8, 0), 108, 1.41e9, 1.555e12),
    Card("L4", (8, 9), 58, 2.04e9, 0.300e12),
    Card("T4", (7, 5), 40, 1.59e9, 0.320e12),
)
H200 = CARDS[0]
LINES_PER_CLOCK = 4  # that a multiprocessor's L1 cache looks up


def card(name: str) -> Card:
    """The card of this name. Raises CourseError if its constants are not known."""
    for each in CARDS:
        if each.name == name:
            return each
    raise CourseError(
        f"The limits of the card {name!r} are not known, only those of {', '.join(c.name for c in CARDS)}."
    )


@dataclass(frozen=True)
class Demand:
    """What the launches of one call ask of a card.

    `sectors` and `lines` are the sectors and the 128-byte lines of all requests to global memory. `l1_wavefronts` and
    `shared_wavefronts` are those of the L1 cache and of shared memory, as `Traffic.cycles` has them, and
    `busiest_block` the most of both for a single block, which one multiprocessor serves alone. `dram_bytes` is what
    DRAM must move, and `operations` are floating-point operations. A number that is not known is 0.
    """

    blocks: int = 0
    sectors: int = 0
    lines: int = 0
    l1_wavefronts: int = 0
    shared_wavefronts: int = 0
    busiest_block: int = 0
    dram_bytes: float = 0
    operations: int = 0

    @classmethod
    def of(cls, traffic: Iterable[Traffic], blocks: int, busiest_block: int, sectors_touched: int = 0) -> "Demand":
        """The demand of launches with this traffic, of which DRAM must move `sectors_touched`."""
        in_global, in_shared = ([line for line in traffic if line.space == space] for space in SPACES)
        return cls(
            blocks,
            sum(line.units for line in in_global),
            sum(line.lines for line in in_global),
            sum(line.cycles for line in in_global),
            sum(line.cycles for line in in_shared),
            busiest_block,
            SECTOR * sectors_touched,
        )

    def bound(self, on: Card = H200) -> "Bound":
        """The least time on a card.

        The L1 cache and shared memory serve one wavefront per clock together, and the cache looks up at most four lines
        per clock. Both were measured on an H200, with rows of 1 to 36 words (docs/notes.md).
        """
        l1 = "L1 wavefronts" if self.l1_wavefronts >= self.shared_wavefronts else "shared wavefronts"
        evenly = (self.l1_wavefronts + self.shared_wavefronts) / on.multiprocessors
        seconds = {
            "DRAM traffic": self.dram_bytes / on.bandwidth,
            "block starts": self.blocks / on.block_starts if on.block_starts else 0,
            l1: evenly / on.clock,
            "L1 lookups": self.lines / LINES_PER_CLOCK / on.multiprocessors / on.clock,
            "arithmetic": self.operations / on.peak_flops,
        }
        if self.busiest_block > evenly:
            seconds["the busiest block"] = self.busiest_block / on.clock
        limits = (Limit(name, each * 1e3) for name, each in seconds.items() if each)
        return Bound(on, tuple(sorted(limits, key=lambda limit: -limit.ms)))


class Limit(NamedTuple):
    """A limit by its name, with the least time that it allows, in milliseconds."""

    name: str
    ms: float


@dataclass(frozen=True)
class Bound:
    """The least time of a call on a card; its limits, the one that binds first."""

    card: Card
    limits: Sequence[Limit]

    @property
    def ms(self) -> float:
        """In milliseconds: the launch, and then the longest of the limits."""
        return self.card.launch_ms + (self.limits[0].ms if self.limits else 0)

    @property
    def binding(self) -> str:
        """The name of the limit that binds."""
        return self.limits[0].name if self.limits else "the launch"

    def __str__(self) -> str:
        after = "".join(f"; then {limit.name}, {two_digits(limit.ms)} ms" for limit in self.limits[1:2])
        return f"at least {two_digits(self.ms)} ms on {self.card}, bound by {self.binding}{after}"

    def to_json(self) -> dict[str, object]:
        """For `course judge --json`: times in milliseconds with two digits, as they are shown."""
        limits = {limit.name: float(two_digits(limit.ms)) for limit in self.limits}
        return {"card": self.card.name, "ms": float(two_digits(self.ms)), "bound_by": self.binding, "limits": limits}


def two_digits(x: float) -> str:
    """A number with two significant digits, never in powers of ten: "0.0035", "270"."""
    exponent = int(f"{x:.1e}".split("e")[1])
    return f"{round(x, 1 - exponent):.{max(0, 1 - exponent)}f}"
