"""Suspicious code in a wrong answer, which right answers hardly ever have: launches, types, loops, shapes."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Sequence

from course.toolchains.cuda_text import CudaText, cited, line_of

LONGEST = 20_000  # characters
# The largest number that a type of at most 16 bits holds.
LIMITS = {"int8_t": 127, "char": 127, "uint8_t": 255, "int16_t": 32767, "short": 32767, "uint16_t": 65535}
_NARROW = rf"\b(?:const\s+)?((?:unsigned\s+)?(?:{'|'.join(LIMITS)}))\s+(\w+)\s*=\s*([^;]*);"
_FLOATS = r"\b(?:float|double)\s*\*\s*(?:__restrict__\s+|const\s+)*(\w+)"
_FLOAT_FUNCTION = r"__shfl\w*_sync|fmaxf?|fminf?|fmaf?|__?expf?|expf?|sqrtf?"
_INDICES = ("blockIdx", "grid", "gridDim"), ("threadIdx", "block", "blockDim")
_LAUNCH = re.compile(r"\b(\w+)\s*(?:<[^<>;]*>)?\s*<<<([^;]*?)>>>")


@functools.lru_cache(maxsize=4)  # each case of an answer asks
def suspect(source: str, elements: int) -> str:
    """The sentence for a launch, a dimension, or a type that can hardly fit an output of `elements`; "" for none."""
    if len(source) > LONGEST:
        return ""
    clues = (
        _exchanged(source),
        _wrong_size(source),
        _other_dimensions(source),
        _narrow_index(source, elements),
        _fraction_lost(source),
    )
    return next((sentence for clue in clues for sentence in clue), "")


def other_shape(source: str, made: Sequence[int], expected: Sequence[int]) -> str:
    """The sentence for the only tensor that a wrapper makes, if its shape is not the output's; "" for none."""
    text = CudaText.of(source)
    calls = [*re.finditer(r"\b(?:torch|at)::(?:empty|zeros|ones|full)\w*\s*\(|\bnew_(?:empty|zeros)\w*\(", text.blank)]
    if tuple(made) == tuple(expected) or len(calls) != 1:
        return ""
    place = _cited(source, line_of(source, calls[0].start()))
    return f"Line {place} makes a tensor of shape {tuple(made)}; the output has shape {tuple(expected)}."


@functools.lru_cache(maxsize=4)  # each case of an answer asks
def late_start(source: str) -> str:
    """The sentence for a loop that begins at 1 if another loop of its length begins at 0; "" for none."""
    if len(source) > LONGEST:
        return ""
    for function in CudaText.of(source).functions:
        if re.search(r"\[\s*0\s*\]", function.body):  # the first element may be handled before the loop
            continue
        loops = re.finditer(r"\bfor\s*\(\s*[\w ]+?\b(\w+)\s*=\s*([01])\s*;([^;]*);([^;){]*)\)", function.body)
        begins: dict[str, dict[str, int]] = {}
        for loop in loops:
            form = " ".join(re.sub(rf"\b{loop[1]}\b", "_", f"{loop[3]};{loop[4]}").split())
            begins.setdefault(form, {}).setdefault(loop[2], loop.start())
        for begin in begins.values():
            if len(begin) == 2:
                late, first = (line_of(source, function.body_start + begin[number]) for number in "10")
                return (
                    f"The loop in line {_cited(source, late)} begins at 1, and a loop of the same length in line "
                    f"{first} begins at 0: does it leave out the first element?"
                )
    return ""


def _exchanged(source: str) -> Iterator[str]:
    """A launch whose first argument is called threads, or whose second is called blocks."""
    for launch, (blocks, threads) in _launches(source):
        a_block = re.fullmatch(r"\w*threads\w*|block|block_?(?:size|dim)", blocks, re.IGNORECASE)
        if not a_block or re.search(r"thread|^block$|^\d+$", threads, re.IGNORECASE) or "block" in blocks.lower()[1:]:
            continue
        place = _cited(source, line_of(source, launch.start()))
        yield (
            f"In <<<blocks, threads>>> the number of blocks comes first, but line {place} passes {blocks} first: are "
            "the two exchanged?"
        )


def _wrong_size(source: str) -> Iterator[str]:
    """An index or a step that multiplies by the number of blocks instead of the number of threads in a block."""
    text = CudaText.of(source).blank
    step = re.search(r"\bgridDim\s*\.\s*([xyz])\)?\s*\*\s*gridDim\s*\.\s*\1\b", text)
    start = re.search(r"\bblockIdx\s*\.\s*[xyz]\)?\s*\*\s*gridDim\s*\.\s*[xyz]\s*\+\s*threadIdx\b", text)
    for found, what, right in (
        (step, "The number of threads in the grid", "gridDim.x * blockDim.x"),
        (start, "The number of a block's first thread", "blockIdx.x * blockDim.x"),
    ):
        if found:
            place = _cited(source, line_of(source, found.start()))
            yield f"{what} is {right}, but line {place} multiplies by gridDim instead of blockDim."


def _other_dimensions(source: str) -> Iterator[str]:
    """A launch whose only kernel reads threadIdx or blockIdx in fewer dimensions than the launch has, or in more."""
    text = CudaText.of(source)
    device = [each for each in text.functions if {"__global__", "__device__"} & each.qualifiers]
    code = "\n".join(each.body for each in device)
    if "cooperative_groups" in source or len([each for each in device if "__global__" in each.qualifiers]) != 1:
        return
    for launch, arguments in _launches(source):
        for (index, what, whole), argument in zip(_INDICES, arguments, strict=True):
            sizes, offset = _sizes(text.blank, argument)
            read = set(re.findall(rf"\b{index}\s*\.\s*([xyz])\b", code))
            if not read or re.search(rf"\b{index}\b(?!\s*\.)", code):
                continue
            place = _cited(source, line_of(source, launch.start() if offset < 0 else offset))
            in_order = re.search(rf"\b{index}\s*\.\s*y\)?\s*\*\s*{whole}\b", code)  # also a flat index
            if len(sizes) == 1 and "y" in read and not in_order:
                yield f"The {what} has one dimension (line {place}), so {index}.y is always 0."
            for axis, size in zip("xy", sizes, strict=False):
                if len(sizes) > 1 and size != "1" and axis not in read:
                    yield (
                        f"The {what} has x and y (line {place}), and no kernel reads {index}.{axis}: "
                        f"all values of {index}.{axis} lead to the same work."
                    )


def _sizes(text: str, argument: str) -> tuple[list[str], int]:
    """The sizes of a grid or block and where they are declared (-1: in the launch); no sizes where unknown."""
    if made := re.search(rf"\bdim3\s+{re.escape(argument)}\s*[({{]([^;]*)[)}}]\s*;", text):
        return _split(made[1]), made.start()
    integer = rf"\b(?:int|long|unsigned|size_t|u?int\d+_t)\s+{re.escape(argument)}\s*="
    named = re.fullmatch(r"[A-Za-z_]\w*", argument)
    known = re.search(integer, text) if named else not re.search(r"dim3|\{", argument)
    return ([argument] if known else []), -1


def _narrow_index(source: str, elements: int) -> Iterator[str]:
    """A variable of 8 or 16 bits that holds the number of a block, a size, or a loop index up to a size."""
    text = CudaText.of(source)
    parameters = {name for each in text.functions for name in re.findall(r"(\w+)\s*(?:,|$)", each.parameters)}
    for match in re.finditer(_NARROW, text.blank):
        unsigned = "unsigned" in match[1]
        limit = LIMITS[match[1].split()[-1]] * (1 + unsigned) + unsigned
        until = re.match(rf"\s*{match[2]}\s*<=?\s*(\w+)", text.blank[match.end() :])
        sized = re.search(r"\bblockIdx\b|\bgridDim\b|\bcdiv\b|\.\s*(?:size|numel)\s*\(", match[3])
        if limit < elements and (sized or (until and until[1] in parameters)):
            yield (
                f"Line {_cited(source, line_of(source, match.start(2)))} makes {match[2]} of type {match[1]}, which "
                f"holds no number above {limit:,}: larger numbers wrap around. Indices and sizes need int64_t."
            )


def _fraction_lost(source: str) -> Iterator[str]:
    """An integer variable that gets an element of a float array, or the result of a float function or a shuffle."""
    text = CudaText.of(source)
    floats = {name for each in text.functions for name in re.findall(_FLOATS, each.parameters)}
    for match in re.finditer(r"\b(int|long|unsigned|u?int\d+_t)\s+(\w+)\s*=\s*(\w+)\s*([(\[])", text.blank):
        a_float = match[3] in floats if match[4] == "[" else re.fullmatch(_FLOAT_FUNCTION, match[3])
        if a_float:
            place = _cited(source, line_of(source, match.start()))
            yield f"Line {place} makes {match[2]} an integer: is a fraction cut off there?"


def _launches(source: str) -> Iterator[tuple[re.Match[str], tuple[str, str]]]:
    """Each launch with its first two arguments."""
    for launch in _LAUNCH.finditer(CudaText.of(source).blank):
        arguments = _split(launch[2])
        if len(arguments) > 1:
            yield launch, (arguments[0], arguments[1])


def _split(arguments: str) -> list[str]:
    """The arguments of a list; commas inside parentheses do not separate them."""
    found, depth = [""], 0
    for character in arguments:
        depth += (character in "([{") - (character in ")]}")
        if character == "," and not depth:
            found.append("")
        else:
            found[-1] += character
    return [each.strip() for each in found]


def _cited(source: str, line: int) -> str:
    """A line with its text."""
    return cited(CudaText.of(source).without_comments, line)
