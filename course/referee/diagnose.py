"""Names the mistake behind a wrong output, where it knows the pattern."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import torch

from course.referee.precision import NARROW, from_narrow_operands, rounded
from course.tasks import Case

# What an error most often comes from; CUDA's name no place, and a refused launch has either of the first two.
LAUNCH_LIMITS = (
    "a block can have 1 to 1024 threads, a grid of no blocks cannot be launched, and more than 48 KB of dynamic shared "
    "memory must be asked for."
)
ERRORS = {
    "invalid configuration argument": LAUNCH_LIMITS,
    "invalid argument": LAUNCH_LIMITS,
    "illegal memory access": "a kernel used an address where no tensor lies; is a guard missing, an index wrong, or a "
    "tensor on the host?",
    "NameError: ": "an answer is judged by the text of its own cell, which must define or import all it uses.",
}

Close = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]


@dataclass(frozen=True)
class Wrong:
    """One wrong output beside what it should be.

    `got` and `expected` have the same shape, `expected` usually a wider dtype; `close(got, expected)` says for each
    element whether it is right; `inputs` maps the names of the input tensors to them; `mistakes` maps a sentence to the
    output that the mistake it tells would give, in which NaN stands for anything; `changed` names the inputs that the
    call did not leave as they were; `narrow(bits)` yields outputs that operands rounded to that many bits would give.
    """

    got: torch.Tensor
    expected: torch.Tensor
    close: Close
    inputs: Mapping[str, torch.Tensor]
    mistakes: Mapping[str, torch.Tensor]
    changed: Sequence[str] = ()
    narrow: Callable[[int], Iterator[torch.Tensor]] = lambda bits: iter(())

    @property
    def mask(self) -> torch.Tensor:
        """Where `got` is wrong, flat."""
        return ~self.close(self.got, self.expected).reshape(-1)

    @property
    def unwritten(self) -> torch.Tensor:
        """Where `got` is wrong and still holds what unwritten outputs are filled with, flat."""
        got = self.got.reshape(-1)
        if got.is_floating_point():
            # NaN in the inputs makes NaN of its own, which differs from the fill in its bits where that is 0xFF.
            filled = _all_ones(got) if self.special else got.isnan()
        elif got.dtype == torch.bool:
            filled = torch.zeros_like(got)
        else:  # bytes of 0xFF from the course's own toolchains, the largest value from PyTorch
            filled = (got == torch.iinfo(got.dtype).max) | _all_ones(got)
        return filled & self.mask

    @property
    def special(self) -> bool:
        """Whether NaN or infinity was given."""
        return any(not bool(x.isfinite().all()) for x in self.inputs.values() if x.is_floating_point())

    def explained_by(self, other: torch.Tensor) -> bool:
        """Whether `got` is what `other` says, wrong elements among it; NaN in `other` stands for anything.

        An element near 0 may come of a cancellation, which leaves the rounding errors of what was larger: those are
        allowed wherever `other` is as large as their root mean square says.
        """
        if other.shape != self.got.shape:
            return False
        known = ~other.isnan()
        right = self.close(self.got, other)
        if self.got.is_floating_point():
            size = other[other.isfinite()].double().square().mean().sqrt()
            right |= (self.got - other).abs() <= 4 * torch.finfo(self.got.dtype).eps * size
        return bool((known.reshape(-1) & self.mask).any()) and bool(right[known].all())


def diagnose(wrong: Wrong) -> str:
    """Name the mistake behind a wrong output.

    Parameters
    ----------
    wrong
        The output, of which at least one element is wrong, beside what it should be and what the call was given.

    Returns
    -------
    str
        One sentence, for the first pattern that fits, the most telling first; "" if none fits.
    """
    patterns = (
        *(zero, known_mistake, made_nan, unwritten, unchanged_input, transposed, shifted),
        *(row_length, lost_special, spread_special, low_precision, constant_factor, partly_unwritten, inaccurate),
        *(edge, tail),
    )
    return next((sentence for pattern in patterns if (sentence := pattern(wrong))), "")


def zero(wrong: Wrong) -> str | None:
    if not bool((wrong.got == 0).all()):
        return None
    return (
        "Every element is 0: the kernel stored nothing but zeros, or the wrapper returned a tensor of zeros that the "
        "kernel never filled."
    )


def unwritten(wrong: Wrong) -> str | None:
    missing, n = wrong.unwritten, wrong.got.numel()
    count = int(missing.sum())
    if count == n:
        return _nothing_written(wrong)
    if not count or count < int(wrong.mask.sum()):
        return None
    written = (~missing).nonzero().view(-1)
    steps = written.diff().unique()
    if len(steps) == 1 and int(steps[0]) > 1:
        return f"Only every {_ordinal(int(steps[0]))} element was written: neighbouring threads skip what lies between."
    sentence = _unwritten_edge(missing.view(wrong.got.shape)) or _unwritten_tail(missing)
    return sentence or f"{count} elements were never written, and all others are right."


def made_nan(wrong: Wrong) -> str | None:
    if wrong.special or not wrong.got.is_floating_point():
        return None
    got = wrong.got.reshape(-1)
    if not bool((got.isnan() & ~_all_ones(got) & ~_same_bytes(got, float("nan"))).any()):
        return None  # that is what new tensors are filled with, by the course's toolchains and by PyTorch
    return (
        "NaN comes of finite numbers: an exponential overflowed, so that infinity was divided by infinity, or 0 was "
        "divided by 0. Or the kernel adds to an output that nobody set to 0."
    )


def _nothing_written(wrong: Wrong) -> str:
    if wrong.changed:
        return (
            f"The kernel stored into {wrong.changed[0]} instead of the output: the launch passes its pointers in "
            "another order than the kernel's parameters have."
        )
    return (
        "No element of the output was ever written: look whether the kernel is launched at all, at its guard, and "
        "whether the wrapper returns the tensor that the kernel fills. Or the kernel adds to an output that nobody set "
        "to 0."
    )


def _unwritten_tail(missing: torch.Tensor) -> str | None:
    """The sentence where everything from one element on is missing, and nothing before; `missing` is flat."""
    n, first = len(missing), int(missing.nonzero()[0])
    if not bool(missing[first:].all()):
        return None
    start = f"Everything from element {first} on was never written: "
    if first % 4 == 0 and n - first < 4 and first % 32:
        return "Every element past the last multiple of 4 was never written: the tail needs code of its own."
    if first == n // 4 and first % 32:
        return (
            "Only the first quarter of the elements was written: the threads are counted in float4, and each takes a "
            "float."
        )
    if _rounded_down(first, n, 32):
        return f"{start}the last, partial block is missing, since the number of blocks was rounded down instead of up."
    if n - first == 1:
        return "Only the last element was never written: the guard stops one too early."
    if first <= 1024 and first % 32 == 0:
        return (
            f"Only the first {first} elements were written: every block writes the same ones, since its index leaves "
            "out blockIdx.x * blockDim.x, or there is but one block."
        )
    return (
        f"{start}no thread's index gets there. Is the index blockIdx.x * blockDim.x + threadIdx.x, and the number of "
        "blocks that of the threads needed, divided by those of a block, rounded up? Where the grid is smaller on "
        "purpose, each thread must go on by gridDim.x * blockDim.x, in a loop."
    )


def _unwritten_edge(missing: torch.Tensor) -> str | None:
    """The sentence where the missing elements of a matrix are all of its last rows, or its last columns, or both."""
    if missing.ndim != 2:
        return None
    rows, columns = missing.shape
    r, c = int((~missing).any(1).sum()), int((~missing).any(0).sum())  # rows and columns with something in them
    if (c == columns and r < 2) or bool(missing[:r, :c].any()):
        return None  # of a single row nothing can be said that is not said of a vector
    places = [f"row from row {r} on"] * (r < rows) + [f"column from column {c} on"] * (c < columns)
    down = (r == rows or _rounded_down(r, rows, 2)) and (c == columns or _rounded_down(c, columns, 2))
    exchanged = (r == rows or _covers(r, columns)) and (c == columns or _covers(c, rows))
    reasons = ["the last, partial block is missing, since the number of blocks was rounded down instead of up"] * down
    reasons += ["rows and columns are exchanged, in the grid or in a loop"] * exchanged
    reason = ", or ".join(reasons) or "the grid does not reach there"
    return f"Every {' and every '.join(places)} was never written: {reason}."


def _rounded_down(reached: int, length: int, smallest: int) -> bool:
    """Whether `length` rounded down to a multiple of some block, a power of two from `smallest` on, is `reached`."""
    block = reached & -reached  # the largest power of two that divides it
    return block >= smallest and length - reached < block


def _covers(reached: int, length: int) -> bool:
    """Whether blocks of a power of two, as many as cover `length`, reach as far as `reached`."""
    return any(-(-length // block) * block == reached for block in (1 << i for i in range(11)))


def known_mistake(wrong: Wrong) -> str | None:
    return next((sentence for sentence, other in wrong.mistakes.items() if wrong.explained_by(other)), None)


def unchanged_input(wrong: Wrong) -> str | None:
    for name, x in wrong.inputs.items():
        if x.shape == wrong.got.shape and bool(wrong.close(wrong.got, x.to(wrong.expected.dtype)).all()):
            return f"The output equals {name} unchanged: nothing was computed, or the wrapper returns the wrong tensor."
    return None


def transposed(wrong: Wrong) -> str | None:
    got, expected = wrong.got, wrong.expected
    if got.ndim != 2 or min(got.shape) < 2:
        return None
    if bool(wrong.close(got.reshape(-1), expected.mT.reshape(-1)).all()):
        return (
            "The values are right but lie in transposed order: row and column are swapped where the result is stored."
        )
    return None


def shifted(wrong: Wrong) -> str | None:
    got, expected = wrong.got, wrong.expected
    views = [("element", got.reshape(-1), expected.reshape(-1))]
    if got.ndim > 1:
        views += [("row", got, expected), ("column", got.mT, expected.mT)]
    for name, g, e in views:
        # One element in its neighbour's place proves nothing.
        if len(g) < 3 or g.numel() < 4:
            continue
        if bool(wrong.close(g[1:], e[:-1]).all()):
            return f"Everything is shifted by one {name}: each {name} holds what belongs in the one before it."
        if bool(wrong.close(g[:-1], e[1:]).all()):
            return f"Everything is shifted by one {name}: each {name} holds what belongs in the one after it."
    return None


def row_length(wrong: Wrong) -> str | None:
    """Row i is stored from element i * rows on instead of i * columns; where rows overlap, anything may stand."""
    if wrong.got.ndim != 2 or not wrong.got.is_floating_point() or not wrong.got.numel():
        return None
    rows, columns = wrong.got.shape
    place = torch.arange(rows * columns, device=wrong.got.device)
    row = (place // rows).clamp(max=rows - 1)  # the last that reaches this place
    column = place - row * rows
    alone = (column < columns) & ((row == 0) | (column + rows >= columns))
    stored = wrong.expected[row, column.clamp(max=columns - 1)]
    other = torch.where(alone, stored, float("nan")).view(rows, columns)
    if not wrong.explained_by(other):
        return None
    return "Rows are stored as if they had M elements; they have N, so the index is row * N + column."


def spread_special(wrong: Wrong) -> str | None:
    got, places = wrong.got.reshape(-1), wrong.mask
    if not wrong.special or not got.is_floating_point() or not bool(got[places].isnan().all()):
        return None
    return "NaN spreads to elements that do not depend on it: zero times NaN or infinity is NaN, not zero."


def lost_special(wrong: Wrong) -> str | None:
    wanted = wrong.expected.reshape(-1)[wrong.mask]
    if not wanted.is_floating_point():
        return None
    if bool(wanted.isnan().all()):
        return "Only NaN is lost: where an input is NaN the result must be NaN, and a comparison with NaN is false."
    if not bool(wanted.isfinite().any()):
        return "Only NaN and infinities are lost; all finite elements are right."
    return None


def low_precision(wrong: Wrong) -> str | None:
    """The errors are those of a narrower type. That the result is close is no evidence: an approximation is as well."""
    got, expected = wrong.got.reshape(-1), wrong.expected.reshape(-1)
    if not _is_close(wrong) or torch.finfo(got.dtype).eps > torch.finfo(torch.float32).eps:
        return None
    for bits, kind in NARROW.items():
        if torch.equal(rounded(got, bits), got):
            return f"Every element is right to about {bits} bits only: something was computed in {kind}."
        if any(from_narrow_operands(got, expected, other.reshape(-1)) for other in wrong.narrow(bits)):
            return narrow_operands(bits)
    return None


def narrow_operands(bits: int) -> str:
    """The sentence for a result whose errors come of operands that were rounded to `bits` bits."""
    return f"The errors are those of inputs rounded to {bits} bits: something was computed in {NARROW[bits]}."


def inaccurate(wrong: Wrong) -> str | None:
    if not _is_close(wrong):
        return None
    return (
        f"Every element is close, but not within the accuracy of {str(wrong.got.dtype).removeprefix('torch.')}: look "
        "for a formula that only approximates, a constant with too few digits, or a step in a narrower type."
    )


def _is_close(wrong: Wrong) -> bool:
    """Whether every element is right to some 6 bits, measured by its own size and that of the others."""
    got, expected = wrong.got.double().reshape(-1), wrong.expected.double().reshape(-1)
    finite = expected.isfinite()
    if not wrong.got.is_floating_point() or not bool(got[finite].isfinite().all()) or not bool(finite.any()):
        return False
    got, expected = got[finite], expected[finite]
    # bfloat16 has 8 bits, and up to four roundings add up.
    return float(((got - expected).abs() / (expected.abs() + expected.square().mean().sqrt())).max()) <= 2.0**-6


def constant_factor(wrong: Wrong) -> str | None:
    got, expected = wrong.got.double().reshape(-1), wrong.expected.double().reshape(-1)
    usable = expected.isfinite() & (expected != 0)
    ratio = (got / expected)[usable]
    if len(ratio) < 3 or not bool(ratio.isfinite().all()):
        return None
    factor = float(ratio.median())
    if factor and abs(factor - 1) > 1e-3 and bool(((ratio / factor - 1).abs() < 1e-4).all()):
        return f"Every element is {factor:.4g} times what it should be."
    return None


def partly_unwritten(wrong: Wrong) -> str | None:
    count = int(wrong.unwritten.sum())
    return f"{count} of the wrong elements were never written." if count else None


def edge(wrong: Wrong) -> str | None:
    """Only rows and columns that belong to partial tiles are wrong."""
    if wrong.got.ndim != 2:
        return None
    rows, columns = wrong.got.shape
    places = wrong.mask.view(rows, columns)
    for tile in (32, 16, 8):
        full_rows, full_columns = rows - rows % tile, columns - columns % tile
        inside = places[:full_rows, :full_columns]
        if inside.numel() and inside.numel() < places.numel() and not bool(inside.any()):
            return "Only the last, partial tile of a row or column is wrong: its edge is handled wrongly."
    return None


def tail(wrong: Wrong) -> str | None:
    places = wrong.mask
    first, n = int(places.nonzero()[0]), len(places)
    if first and bool(places[first:].all()):
        return f"Everything before element {first} is right, and everything from there on is wrong."
    count = int(places.sum())
    if count < n and bool((wrong.got.reshape(-1)[places] == 0).all()):
        return "The wrong elements are all 0, and all others are right."
    return None


def _same_bytes(x: torch.Tensor, value: float) -> torch.Tensor:
    """Where a flat tensor's element has the bits that `value` has in its dtype."""
    wanted = torch.full((1,), value, dtype=x.dtype, device=x.device).view(torch.uint8)
    return (x.contiguous().view(torch.uint8).view(-1, x.itemsize) == wanted).all(1)


def _all_ones(x: torch.Tensor) -> torch.Tensor:
    """Where every bit of a flat tensor's element is set."""
    return (x.contiguous().view(torch.uint8).view(-1, x.itemsize) == 255).all(1)


def _ordinal(n: int) -> str:
    return {2: "second", 3: "third"}.get(n, f"{n}th")


def accepted(case: Case) -> str:
    """The sentence for a wrapper that took the inputs of `case`, which it must refuse."""
    what, _, _ = case.change.partition(":")
    check = {
        "host": "every input's is_cuda()",
        "dtype": "every input's scalar_type()",
        "shape": "every input's dim() and size()",
        "short": "every input's dim() and size()",
    }.get(what or "dtype" * bool(case.dtype), "every input's is_contiguous()")
    return f"The wrapper accepted these inputs, and must refuse them: check {check} with TORCH_CHECK before the launch."


def explained(message: str) -> str:
    """`message` with what the error in it means, where nothing better is known."""
    reason = next((reason for error, reason in ERRORS.items() if error in message), "")
    return f"{message.rstrip('.')}: {reason}" if reason and "bad-launch" not in message else message
