"""What a wrong output shows: each function looks for the pattern of one mistake, and returns its facts or None."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import torch

Close = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]
Facts = dict[str, object]

SIGNIFICANDS = (8, 11)  # bits of bfloat16's numbers, and of half precision's and TF32's
LOOKED_AT, FEWEST = 16, 4  # how many wrong elements `misplaced` compares, and the least number of them
LARGEST_BLOCK = 1024  # threads


@dataclass(frozen=True)
class Wrong:
    """One wrong output beside the right output.

    `got` and `expected` have the same shape, but `expected` usually has a wider dtype. `close(got, expected)` says for
    each element whether it is right. `inputs` has the input tensors by name. `mistakes` maps each mistake that the task
    knows to the output that the mistake would give, in which NaN stands for any value. `changed` has the names of the
    inputs that the call changed. `narrowed()` gives the bits to which operands were rounded if that explains the
    errors, else None. `source` is the CUDA source of the answer. `has_weights()` says whether the task's `Model` has
    weights.
    """

    got: torch.Tensor
    expected: torch.Tensor
    close: Close
    inputs: Mapping[str, torch.Tensor] = field(default_factory=dict)
    mistakes: Mapping[str, torch.Tensor] = field(default_factory=dict)
    changed: Sequence[str] = ()
    narrowed: Callable[[], int | None] = lambda: None
    source: str = ""
    has_weights: Callable[[], bool] = lambda: False

    @cached_property
    def mask(self) -> torch.Tensor:
        """A flat mask of the wrong elements of `got`."""
        return ~self.close(self.got, self.expected).reshape(-1)

    @cached_property
    def unwritten(self) -> torch.Tensor:
        """A flat mask of the wrong elements of `got` that still hold the value that fills unwritten outputs."""
        got = self.got.reshape(-1)
        if got.is_floating_point():
            # NaN in the inputs gives NaN in the output. If the fill is bytes of 0xFF, such NaN has other bits.
            filled = all_ones(got) if self.special else got.isnan()
        elif got.dtype == torch.bool:
            filled = torch.zeros_like(got)
        else:  # the course's own toolchains fill with bytes of 0xFF, and PyTorch fills with the largest value
            filled = (got == torch.iinfo(got.dtype).max) | all_ones(got)
        return filled & self.mask

    @cached_property
    def special(self) -> bool:
        """Whether an input has NaN or infinity."""
        return any(not bool(x.isfinite().all()) for x in self.inputs.values() if x.is_floating_point())

    @cached_property
    def made_nan(self) -> bool:
        """Whether finite inputs gave NaN that a kernel computed, and not the NaN that fills new tensors."""
        got = self.got.reshape(-1)
        if self.special or not got.is_floating_point():
            return False
        return bool((got.isnan() & ~all_ones(got) & ~same_bytes(got, float("nan"))).any())

    @cached_property
    def zero(self) -> bool:
        """Whether every element is 0."""
        return bool((self.got == 0).all())

    @cached_property
    def fits(self) -> tuple[str, ...]:
        """The task's known mistakes that would give this output."""
        return tuple(mistake for mistake, other in self.mistakes.items() if self._equals(other))

    def _equals(self, other: torch.Tensor) -> bool:
        """Whether `got` equals `other`, which must have a value for at least one of the wrong elements.

        NaN in `other` stands for any value.

        After a cancellation, an element near 0 may have the rounding errors of larger terms. Errors of this size, which
        follows from the root mean square of `other`, are allowed everywhere.
        """
        if other.shape != self.got.shape:
            return False
        known = ~other.isnan()
        right = self.close(self.got, other)
        if self.got.is_floating_point():
            size = other[other.isfinite()].double().square().mean().sqrt()
            right |= (self.got - other).abs() <= 4 * torch.finfo(self.got.dtype).eps * size
        return bool((known.reshape(-1) & self.mask).any()) and bool(right[known].all())


def same_bytes(x: torch.Tensor, value: float) -> torch.Tensor:
    """A mask of the elements of a flat tensor that have the bits of `value` in the tensor's dtype."""
    wanted = torch.full((1,), value, dtype=x.dtype, device=x.device).view(torch.uint8)
    return (x.contiguous().view(torch.uint8).view(-1, x.itemsize) == wanted).all(1)


def all_ones(x: torch.Tensor) -> torch.Tensor:
    """A mask of the elements of a flat tensor in which every bit is set."""
    return (x.contiguous().view(torch.uint8).view(-1, x.itemsize) == 255).all(1)


# ----------------------------------------------------------------------------------------------------------------------
# Patterns of values.


def known_mistake(wrong: Wrong) -> Facts | None:
    return {"mistake": wrong.fits[0]} if wrong.fits and not wrong.zero else None


def all_zero(wrong: Wrong) -> Facts | None:
    return {} if wrong.zero else None


def made_nan(wrong: Wrong) -> Facts | None:
    exponential = re.search(r"exp\w{0,8}\s*\(", wrong.source) is not None
    return {"case": "exponential" if exponential else "other"} if wrong.made_nan else None


def spread_nan(wrong: Wrong) -> Facts | None:
    """Only NaN is wrong, where inputs are NaN or infinite, as in diag(A) @ B."""
    got = wrong.got.reshape(-1)
    return {} if wrong.special and got.is_floating_point() and bool(got[wrong.mask].isnan().all()) else None


def whole_numbers(wrong: Wrong) -> Facts | None:
    """Every element is a whole number, though most should not be."""
    got, expected = wrong.got.reshape(-1), wrong.expected.reshape(-1)
    if not got.is_floating_point() or len(got) < 4 or wrong.zero or wrong.special or not bool(got.isfinite().all()):
        return None
    should_be = bool((expected == expected.round()).double().mean() > 0.5)
    return {} if bool((got == got.round()).all()) and not should_be else None


def unchanged_input(wrong: Wrong) -> Facts | None:
    for name, x in wrong.inputs.items():
        if x.shape == wrong.got.shape and bool(wrong.close(wrong.got, x.to(wrong.expected.dtype)).all()):
            return {"name": name}
    return None


def transposed(wrong: Wrong) -> Facts | None:
    got, expected = wrong.got, wrong.expected
    # If nearly all values are equal, a few wrong values fit any order.
    if got.ndim != 2 or min(got.shape) < 2 or 4 * int(wrong.mask.sum()) < got.numel():
        return None
    return {} if bool(wrong.close(got.reshape(-1), expected.mT.reshape(-1)).all()) else None


def low_precision(wrong: Wrong) -> Facts | None:
    """The errors are those of a narrower type. A close result alone proves nothing: an approximation is close too."""
    got = wrong.got.reshape(-1)
    if not _is_close(wrong) or torch.finfo(got.dtype).eps > torch.finfo(torch.float32).eps:
        return None
    if got.dtype == torch.float64 and torch.equal(got.float().double(), got):
        return {"bits": 24}
    bits = next((bits for bits in SIGNIFICANDS if torch.equal(rounded(got, bits), got)), None)
    return {"bits": bits} if bits else None


def narrow_operands(wrong: Wrong) -> Facts | None:
    if not _is_close(wrong) or torch.finfo(wrong.got.dtype).eps > torch.finfo(torch.float32).eps:
        return None
    bits = wrong.narrowed()
    return {"bits": bits} if bits else None


def rounded(x: torch.Tensor, bits: int) -> torch.Tensor:
    """`x` rounded to the nearest number with `bits` bits of significand."""
    mantissa, exponent = torch.frexp(x)
    return torch.ldexp((mantissa * 2**bits).round() / 2**bits, exponent)


def _is_close(wrong: Wrong) -> bool:
    """Whether every element is right to about 6 bits of its own size plus the root mean square of all elements."""
    got, expected = wrong.got.double().reshape(-1), wrong.expected.double().reshape(-1)
    finite = expected.isfinite()
    if not wrong.got.is_floating_point() or not bool(got[finite].isfinite().all()) or not bool(finite.any()):
        return False
    got, expected = got[finite], expected[finite]
    # bfloat16 has 8 bits, and up to four roundings add up.
    return float(((got - expected).abs() / (expected.abs() + expected.square().mean().sqrt())).max()) <= 2.0**-6


def constant_factor(wrong: Wrong) -> Facts | None:
    got, expected = wrong.got.double().reshape(-1), wrong.expected.double().reshape(-1)
    usable = expected.isfinite() & (expected != 0)
    ratio = (got / expected)[usable]
    if len(ratio) < 3 or not bool(ratio.isfinite().all()):
        return None
    factor = float(ratio.median())
    if factor and abs(factor - 1) > 1e-3 and bool(((ratio / factor - 1).abs() < 1e-4).all()):
        return {"factor": factor}
    return None


def misplaced(wrong: Wrong) -> Facts | None:
    """The values of the first wrong elements are expected at other places, which are known."""
    expected = wrong.expected.reshape(-1)
    got = wrong.got.reshape(-1).to(expected.dtype)
    if not got.is_floating_point() or wrong.special:
        return None
    places = (wrong.mask & got.isfinite() & (got != 0)).nonzero().view(-1)[:LOOKED_AT]
    if len(places) < FEWEST:
        return None
    # For each wrong element: which expected values it equals, apart from the last bits of float32.
    tolerance = torch.finfo(torch.float32).eps * 4
    equal = (got[places, None] - expected).abs() <= tolerance * expected.abs()
    belongs = _belongs(equal, places)
    if belongs is None or bool((belongs == places).any()):  # right apart from the last bits
        return None
    apart = (belongs - places).unique().tolist()
    case = "anywhere" if len(apart) > 1 else "later" if apart[0] > 0 else "earlier"
    return {"case": case, "apart": abs(apart[0]), "at": int(places[0]), "of": int(belongs[0])}


def _belongs(equal: torch.Tensor, places: torch.Tensor) -> torch.Tensor | None:
    """The place where each value belongs, or None if unknown.

    Either all values belong equally far from their places, or each is expected at only one place. Among very many
    elements, a value may be expected at several places by chance.
    """
    apart = equal[0].nonzero().view(-1) - places[0]
    targets = places + apart[:, None]
    inside = (targets >= 0) & (targets < equal.shape[1])
    found = equal[torch.arange(len(places), device=places.device), targets.clamp(0, equal.shape[1] - 1)]
    common = apart[(inside & found).all(1)]
    if len(common) == 1:
        return places + common
    return equal.int().argmax(1) if bool((equal.sum(1) == 1).all()) else None


def some_zero(wrong: Wrong) -> Facts | None:
    """The wrong elements are all 0, and all others are right."""
    return {} if not bool(wrong.mask.all()) and bool((wrong.got.reshape(-1)[wrong.mask] == 0).all()) else None


def model_has_weights(wrong: Wrong) -> Facts | None:
    """Other weights would leave no element right."""
    right = wrong.expected.reshape(-1)[~wrong.mask]
    some = bool((right.isfinite() & (right != 0)).any())
    return {"case": "some_right" if some else "none_right"} if wrong.has_weights() else None


# ----------------------------------------------------------------------------------------------------------------------
# Elements that were never written.


@dataclass(frozen=True)
class Unwritten:
    """The elements that a kernel left unwritten in an output of `shape`; all other elements are right.

    `first` is the first of `count` unwritten elements in row-major order, if all after it are unwritten, too; else -1.
    If exactly the elements in the first `rows` and `columns` of a matrix are written, these are numbers, else -1. If
    exactly the first `run` of every `period` elements are written, these are numbers, else 0.
    """

    shape: tuple[int, ...]
    count: int
    first: int
    rows: int
    columns: int
    run: int
    period: int

    @classmethod
    def of(cls, missing: torch.Tensor, shape: Sequence[int]) -> "Unwritten | None":
        """The unwritten elements that `missing` marks, a flat mask for `shape`; None if there are none."""
        count = int(missing.sum())
        if not count:
            return None
        first = int(missing.nonzero()[0])
        rows = columns = -1
        if len(shape) == 2 and min(shape) > 1:
            written = ~missing.view(*shape)
            rows, columns = int(written.any(1).sum()), int(written.any(0).sum())
            if not bool(written[:rows, :columns].all()):
                rows = columns = -1
        run, period = _period(missing, first)
        return cls(tuple(shape), count, first if bool(missing[first:].all()) else -1, rows, columns, run, period)

    @property
    def elements(self) -> int:
        """The number of elements of the output."""
        return torch.Size(self.shape).numel()


def _period(missing: torch.Tensor, run: int) -> tuple[int, int]:
    """The length of the written runs of a flat mask, and the distance between their starts; zeros if these vary."""
    begins = ((~missing[1:]) & missing[:-1]).nonzero().view(-1) + 1
    if not run or len(begins) < 2:
        return 0, 0
    period = int(begins[0])
    expected = torch.arange(len(missing), device=missing.device) % period >= run
    return (run, period) if torch.equal(expected, missing) else (0, 0)


def unwritten_elements(wrong: Wrong) -> Unwritten | None:
    """The elements that were never written, if all other elements are right."""
    missing = wrong.unwritten
    return None if wrong.made_nan or not torch.equal(missing, wrong.mask) else Unwritten.of(missing, wrong.got.shape)


def is_unwritten(wrong: Wrong) -> bool:
    """Whether no element was written, and no input either."""
    return not wrong.changed and bool(wrong.unwritten.all())


def stored_into_input(wrong: Wrong) -> Facts | None:
    return {"name": wrong.changed[0]} if wrong.changed and bool(wrong.unwritten.all()) else None


def nothing_written(wrong: Wrong) -> Facts | None:
    return {} if is_unwritten(wrong) else None


def written_periodically(wrong: Wrong) -> Facts | None:
    lacking = unwritten_elements(wrong)
    if not lacking or lacking.run != 1:
        return None
    return {"period": lacking.period}


def edge_unwritten(wrong: Wrong) -> Facts | None:
    """The last rows of a matrix, or its last columns, or both are missing."""
    if wrong.got.ndim != 2 or not unwritten_elements(wrong):
        return None
    missing = wrong.unwritten.view(wrong.got.shape)
    rows, columns = missing.shape
    r, c = int((~missing).any(1).sum()), int((~missing).any(0).sum())  # rows and columns with a written element
    if (c == columns and r < 2) or bool(missing[:r, :c].any()):
        return None  # a single row is handled like a vector
    edges = [f"row from row {r} on"] if r < rows else []
    edges += [f"column from column {c} on"] if c < columns else []
    reasons = {
        "exchanged": (r == rows or _covers(r, columns)) and (c == columns or _covers(c, rows)),
        "one_short": (rows - r) + (columns - c) == 1,
        "rounded_down": all(a == b or reaches_whole_blocks(a, b, 4) for a, b in ((r, rows), (c, columns))),
    }
    found = [reason for reason, fits in reasons.items() if fits]
    return {"edge": " and every ".join(edges), "reasons": found or ["too_few"]}


def tail_unwritten(wrong: Wrong) -> Facts | None:
    """All elements from one element on are missing, and no others."""
    lacking = unwritten_elements(wrong)
    if not lacking or lacking.first < 0:
        return None
    first, n = lacking.first, lacking.elements
    size = min(first & -first, LARGEST_BLOCK)
    facts: Facts = {"first": first, "blocks": first // size, "size": size}
    if first % 4 == 0 and n - first < 4 and (first % 32 or "float4" in wrong.source):
        return facts | {"case": "past_fours"}
    if first % 32 and n - first == 1:
        return facts | {"case": "only_last"}
    return facts | {"case": "rounded_down" if reaches_whole_blocks(first, n, 32) else "other"}


def reaches_whole_blocks(reached: int, length: int, smallest: int) -> bool:
    """Whether `reached` is `length` rounded down to a multiple of a block, a power of two of at least `smallest`."""
    block = reached & -reached  # the largest power of two that divides it
    return block >= smallest and length - reached < block


def _covers(reached: int, length: int) -> bool:
    """Whether blocks that cover `length` end at `reached`, if the size of a block is a power of two."""
    return any(-(-length // block) * block == reached for block in (1 << i for i in range(11)))
