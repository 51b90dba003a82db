"""Names the mistake behind a wrong output, if the output has a known pattern."""

from __future__ import annotations

import re
from dataclasses import dataclass

import torch

from course.referee.clues import adds_to_output, declared_again, lost_in_shuffle, source_clue, whole_sum
from course.referee.misplaced import misplaced
from course.referee.places import ordinal
from course.referee.precision import NARROW, from_narrow_operands, rounded
from course.referee.suspects import late_start, suspect
from course.referee.unwritten import partly_unwritten, reaches_whole_blocks, unwritten, whole_blocks
from course.referee.wrong import Wrong, all_ones, same_bytes
from course.tasks import Case

# The most frequent cause of each error. CUDA's errors name no line. A refused launch raises one of the first two.
LAUNCH_LIMITS = (
    "a block can have 1 to 1024 threads, a grid needs at least one block, and a kernel that needs more than 48 KB of "
    "dynamic shared memory must first request it."
)
ERRORS = {
    "invalid configuration argument": LAUNCH_LIMITS,
    "invalid argument": LAUNCH_LIMITS,
    "illegal memory access": "a kernel used an address outside of all tensors; is a guard missing, an index wrong, or "
    "a tensor on the host?",
    "returned an incorrect number of gradients": "backward must return one gradient for each input of forward, in a "
    "tuple; without a return statement it gives None.",
    "returned an invalid gradient at index": "backward must return the gradients in the order of forward's inputs.",
    "NameError: ": "each answer cell is judged alone, so the cell must define or import everything that it uses.",
}


# How much a sentence says. SEEN: it describes what was seen, and what may have caused this. PATTERN: it describes a
# pattern that has a single cause. KNOWN: it names a mistake that the task or the source shows.
SEEN, PATTERN, KNOWN = 1, 2, 3


@dataclass(frozen=True)
class Diagnosis:
    """The mistake behind a wrong output.

    `sentence` describes it ("" for none), and `telling` is SEEN, PATTERN or KNOWN (0 for none). `fits` has the
    sentences of all the task's mistakes that give this output.
    """

    sentence: str = ""
    telling: int = 0
    fits: tuple[str, ...] = ()


def diagnose(wrong: Wrong) -> Diagnosis:
    """Name the mistake behind a wrong output.

    Parameters
    ----------
    wrong
        The output, with at least one wrong element, the expected output, and the inputs of the call.

    Returns
    -------
    Diagnosis
        The first pattern that fits. Patterns that say more are tried first.
    """
    fits = tuple(sentence for sentence, other in wrong.mistakes.items() if wrong.explained_by(other))
    if clue := source_clue(wrong.source) or (not fits and suspect(wrong.source, wrong.got.numel())):
        return Diagnosis(clue, KNOWN, fits)
    if sentence := zero(wrong):
        return Diagnosis(sentence, SEEN, fits)
    if fits:
        return Diagnosis(fits[0], KNOWN, fits)
    if clue := late_start(wrong.source):
        return Diagnosis(clue, KNOWN)
    # If nearly all values are equal, a few wrong values fit any order.
    moved = (transposed, shifted, row_length) if 4 * int(wrong.mask.sum()) >= wrong.got.numel() else ()
    patterns = {
        PATTERN: (unchanged_input, *moved, low_precision, constant_factor, whole_numbers),
        SEEN: (
            partly_unwritten,
            lost_special,
            spread_special,
            first_lane,
            inaccurate,
            misplaced,
            other_length,
            periodic,
            edge,
            tail,
            region,
        ),
    }
    first = ((PATTERN, made_nan), (KNOWN, added_to_unset), (PATTERN, unwritten))
    for telling, pattern in (*first, *((level, each) for level, several in patterns.items() for each in several)):
        if sentence := pattern(wrong):
            return Diagnosis(sentence, telling)
    return Diagnosis()


def zero(wrong: Wrong) -> str | None:
    if not bool((wrong.got == 0).all()):
        return None
    return (
        declared_again(wrong.source)
        or lost_in_shuffle(wrong.source)
        or (
            "Every element is 0: the kernel stores an empty sum, or the wrapper returns a tensor of zeros that the "
            "kernel never fills."
        )
    )


def made_nan(wrong: Wrong) -> str | None:
    if wrong.special or not wrong.got.is_floating_point():
        return None
    got = wrong.got.reshape(-1)
    if not bool((got.isnan() & ~all_ones(got) & ~same_bytes(got, float("nan"))).any()):
        return None  # the course's toolchains and PyTorch fill new tensors with such NaN
    if re.search(r"exp\w{0,8}\s*\(", wrong.source):
        return (
            "Finite numbers give NaN in three ways. Infinity is divided by infinity after an exponential overflowed, "
            "0 is divided by 0, or infinity is subtracted from infinity because a maximum is still -INFINITY."
        )
    return (
        "Finite numbers give NaN: memory was used before anything was stored there, or 0 was divided by 0. "
        + adds_to_output(wrong.source)
    ).strip()


def added_to_unset(wrong: Wrong) -> str | None:
    return None if wrong.changed or not bool(wrong.unwritten.all()) else adds_to_output(wrong.source)


def whole_numbers(wrong: Wrong) -> str | None:
    got, expected = wrong.got.reshape(-1), wrong.expected.reshape(-1)
    if not got.is_floating_point() or len(got) < 4 or wrong.special or not bool(got.isfinite().all()):
        return None
    if not bool((got == got.round()).all()) or bool((expected == expected.round()).double().mean() > 0.5):
        return None
    line = whole_sum(wrong.source)
    place = f"line {line} makes the sum" if line else "some variable before the store is"
    return f"Every element is a whole number: {place} an integer, which has no fraction."


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
            "The values are right but in transposed order: row and column are swapped where the result is stored, "
            "or where the input is read."
        )
    return None


def shifted(wrong: Wrong) -> str | None:
    got, expected = wrong.got, wrong.expected
    views = [("element", got.reshape(-1), expected.reshape(-1))]
    if got.ndim > 1:
        views += [("row", got, expected), ("column", got.mT, expected.mT)]
    for name, g, e in views:
        # One shifted element proves nothing.
        if len(g) < 3 or g.numel() < 4:
            continue
        if bool(wrong.close(g[1:], e[:-1]).all()):
            return f"Everything is shifted by one {name}: each {name} holds the values of the {name} before it."
        if bool(wrong.close(g[:-1], e[1:]).all()):
            return f"Everything is shifted by one {name}: each {name} holds the values of the {name} after it."
    return None


def row_length(wrong: Wrong) -> str | None:
    """Row i is stored from element i * rows on, not i * columns. Elements that two rows reach may have any value."""
    if wrong.got.ndim != 2 or not wrong.got.is_floating_point() or not wrong.got.numel():
        return None
    rows, columns = wrong.got.shape
    place = torch.arange(rows * columns, device=wrong.got.device)
    row = (place // rows).clamp(max=rows - 1)  # the last row that reaches this place
    column = place - row * rows
    alone = (column < columns) & ((row == 0) | (column + rows >= columns))
    stored = wrong.expected[row, column.clamp(max=columns - 1)]
    other = torch.where(alone, stored, float("nan")).view(rows, columns)
    if not wrong.explained_by(other):
        return None
    return "Rows are stored as if each had M elements, but each row has N: the index is row * N + column."


def spread_special(wrong: Wrong) -> str | None:
    got, places = wrong.got.reshape(-1), wrong.mask
    if not wrong.special or not got.is_floating_point() or not bool(got[places].isnan().all()):
        return None
    return "NaN spreads to elements that should not be NaN: zero times NaN or infinity is NaN, not zero."


def lost_special(wrong: Wrong) -> str | None:
    wanted = wrong.expected.reshape(-1)[wrong.mask]
    if not wanted.is_floating_point():
        return None
    if bool(wanted.isnan().all()):
        return (
            "Only NaN is lost: if an input is NaN, the result must be NaN too, but comparing with NaN is always false."
        )
    if not bool(wanted.isfinite().any()):
        return "Only NaN and infinities are lost; all finite elements are right."
    return None


def first_lane(wrong: Wrong) -> str | None:
    """Only the first element that each warp stores is right: after __shfl_down_sync, only lane 0 has the result."""
    mask = wrong.mask.view(-1, wrong.got.shape[-1]) if wrong.got.ndim else wrong.mask[None]
    lane = torch.arange(mask.shape[1], device=mask.device) % 32
    if "__shfl_down_sync" not in wrong.source or mask.shape[1] < 64 or bool(mask[:, lane == 0].any()):
        return None
    if bool((~mask[:, lane != 0]).all(0).any()) or int(mask.sum()) < 8:
        return None
    return (
        "The first of every 32 elements of a row is right, and others are wrong: __shfl_down_sync gives the result "
        "only to lane 0 of a warp, but __shfl_xor_sync gives the result to all lanes."
    )


def low_precision(wrong: Wrong) -> str | None:
    """The errors are those of a narrower type. A close result alone proves nothing: an approximation is close too."""
    got, expected = wrong.got.reshape(-1), wrong.expected.reshape(-1)
    if not _is_close(wrong) or torch.finfo(got.dtype).eps > torch.finfo(torch.float32).eps:
        return None
    if got.dtype == torch.float64 and torch.equal(got.float().double(), got):
        return "Every element is right to about 24 bits only: something was computed in float."
    for bits, kind in NARROW.items():
        if torch.equal(rounded(got, bits), got):
            return f"Every element is right to about {bits} bits only: something was computed in {kind}."
        if any(from_narrow_operands(got, expected, other.reshape(-1)) for other in wrong.narrow(bits)):
            return narrow_operands(bits)
    return None


def narrow_operands(bits: int) -> str:
    """The sentence for a result whose errors come from operands rounded to `bits` bits."""
    return f"The errors are those of inputs rounded to {bits} bits: something was computed in {NARROW[bits]}."


def inaccurate(wrong: Wrong) -> str | None:
    if not _is_close(wrong):
        return None
    return (
        f"Every element is close, but not within the accuracy of {str(wrong.got.dtype).removeprefix('torch.')}: look "
        "for an approximate formula, a constant with too few digits, or a step in a narrower type."
    )


def _is_close(wrong: Wrong) -> bool:
    """Whether every element is right to about 6 bits of its own size plus the root mean square of all elements."""
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
            return "Only the last, partial tile of a row or column is wrong: check the code for partial tiles."
    return None


def periodic(wrong: Wrong) -> str | None:
    """Only one of every few neighbours in memory is wrong, always at the same place."""
    places = wrong.mask.nonzero().view(-1)
    steps = places.diff().unique()
    if len(steps) != 1 or not 1 < int(steps[0]) <= 32 or len(places) < 8:
        return None
    period, first = int(steps[0]), int(places[0])
    if first >= period or len(wrong.mask) - int(places[-1]) > period:
        return None
    of_four = f" (.{'xyzw'[first]} of a float4)" if period == 4 and "float4" in wrong.source else ""
    return (
        f"Only the {ordinal(first + 1)} of every {period} elements{of_four} is wrong, and all others are right: look "
        "for code that handles this element differently."
    )


def other_length(wrong: Wrong) -> str | None:
    """Only the first rows are right, and their number is the number of columns."""
    if wrong.got.ndim != 2:
        return None
    rows, columns = wrong.got.shape
    right = ~wrong.mask.view(rows, columns)
    if not 1 < columns < rows or not bool(right[:columns].all()) or bool(right[columns:].any()):
        return None
    return (
        f"Everything before row {columns} is right, and everything from there on is wrong. There are {columns} "
        "columns: does a guard compare the row with the number of columns?"
    )


def tail(wrong: Wrong) -> str | None:
    places = wrong.mask
    first, n = int(places.nonzero()[0]), len(places)
    if first < 4 or not bool(places[first:].all()):
        return None
    kept = " and 0" if bool((wrong.got.reshape(-1)[first:] == 0).all()) else ""
    start = f"Everything before element {first} is right, and everything from there on is wrong{kept}"
    if reaches_whole_blocks(first, n, 32):
        start += f". {whole_blocks(first)}: is the number of blocks rounded down instead of up"
        return f"{start}, or is the last, partial block handled by different code?"
    return f"{start}."


def region(wrong: Wrong) -> str | None:
    """Where the wrong elements are, if they are all 0 or are only in some rows or columns."""
    places, zeros = wrong.mask, bool((wrong.got.reshape(-1)[wrong.mask] == 0).all())
    if bool(places.all()):
        return None
    where = ""
    if wrong.got.ndim == 2:
        grid = places.view(wrong.got.shape)
        for name, several in (("row", grid.any(1)), ("column", grid.any(0))):
            numbers = several.nonzero().view(-1)
            first, last = int(numbers[0]), int(numbers[-1])
            if len(numbers) == last - first + 1 < len(several):
                where += f" in {name} {first}" if first == last else f" in {name}s {first} to {last}"
    if not where and not zeros:
        return None
    what = "The wrong elements are all 0" if zeros else "All wrong elements are"
    if zeros:
        what += " and all" * bool(where)
    reason = ""
    if zeros:
        reason = ": there are too few blocks, a guard compares an index with the wrong length, or a loop ends early"
    return f"{what}{where}, and all others are right{reason}."


def accepted(case: Case) -> str:
    """The sentence for a wrapper that accepted the inputs of `case`, which it must refuse."""
    what, _, _ = case.change.partition(":")
    check = {
        "host": "every input's is_cuda()",
        "dtype": "every input's scalar_type()",
        "shape": "every input's dim() and size()",
        "short": "every input's dim() and size()",
    }.get(what or "dtype" * bool(case.dtype), "every input's is_contiguous()")
    return f"The wrapper accepted these inputs but must refuse them: check {check} with TORCH_CHECK before the launch."


def explained(message: str) -> str:
    """`message` followed by the most frequent cause of its error, if ERRORS has the error."""
    reason = next((reason for error, reason in ERRORS.items() if error in message), "")
    return f"{message.rstrip('.')}: {reason}" if reason and "bad-launch" not in message else message
