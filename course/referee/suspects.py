"""Suspicious code in a wrong answer: launches, types, loops and shapes that right answers hardly ever have."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Sequence

from course.toolchains.cuda_text import CudaText, cited, line_of, matching

LONGEST = 20_000  # characters
# The largest number that a type of at most 16 bits holds.
LIMITS = {"int8_t": 127, "char": 127, "uint8_t": 255, "int16_t": 32767, "short": 32767, "uint16_t": 65535}
_NARROW = rf"\b(?:const\s+)?((?:unsigned\s+)?(?:{'|'.join(LIMITS)}))\s+(\w+)\s*=([^;]*);"
_FLOAT = r"\b(?:float|double)\s+(\w+)"
_FLOAT_ARRAY = r"\b(?:float|double)\s*\*\s*(?:__restrict__\s+|const\s+)*(\w+)"
_FLOAT_FUNCTION = r"(?:fmaxf?|fminf?|fmaf?|__?expf?|expf?|sqrtf?)"
_INDICES = ("blockIdx", "grid", "gridDim"), ("threadIdx", "block", "blockDim")
_LAUNCH = re.compile(r"\b(\w+)\s*(?:<[^<>;]*>\s*)?<<<([^;]{0,500}?)>>>")
_CALL = re.compile(r"\b(?!cdiv\b)\w+\s*\(")  # the course's cdiv gives an integer


@functools.lru_cache(maxsize=4)  # called for each case of an answer
def suspect(source: str, elements: int) -> str:
    """The sentence for a launch, a dimension or a type that is unlikely for this number of elements; "" for none."""
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


@functools.lru_cache(maxsize=4)  # called for each case of an answer
def late_start(source: str) -> str:
    """The sentence for a loop that begins at 1 if a loop of the same length begins at 0; "" for none."""
    if len(source) > LONGEST:
        return ""
    for function in CudaText.of(source).functions:
        body = function.body
        if re.search(r"\[\s*0\s*\]", body):  # the first element may be handled before the loop
            continue
        begins: dict[str, dict[str, int]] = {}
        for loop in re.finditer(r"\bfor\s*\(\s*(?:[\w:]+\s+){1,4}(\w+)\s*=\s*([01])\s*;([^;]*);([^;){]*)\)", body):
            form = " ".join(re.sub(rf"\b{loop[1]}\b", "_", f"{loop[3]};{loop[4]}").split())
            begins.setdefault(form, {}).setdefault(loop[2], loop.start())
        for begin in begins.values():
            if len(begin) == 2 and not _takes_an_element(body, begin["1"]):
                late, first = (line_of(source, function.body_start + begin[number]) for number in "10")
                return (
                    f"The loop in line {_cited(source, late)} begins at 1, and a loop of the same length in line "
                    f"{first} begins at 0: does it leave out the first element?"
                )
    return ""


def _takes_an_element(body: str, loop: int) -> bool:
    """Whether a variable is set to an array's element just before the loop and changes later, like a maximum."""
    before = re.split(r"[{}]", body[max(0, loop - 200) : loop])[-1]
    names = re.findall(r"\w\s+(\w+)\s*=\s*\w+\s*\[[^;]*\]\s*;", before)
    return any(re.search(rf"\b{name}\s*[-+*/]?=(?!=)", body[loop:]) for name in names)


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
    """An index or a step that is multiplied by the number of blocks instead of the number of threads in a block."""
    text = CudaText.of(source).blank
    step = re.search(r"\bgridDim\s*\.\s*([xyz])\)?\s*\*\s*gridDim\s*\.\s*\1\b", text)
    start = re.search(r"\bblockIdx\s*\.\s*([xyz])\)?\s*\*\s*gridDim\s*\.\s*\1\s*\+\s*threadIdx\b", text)
    for found, what, right in (
        (step, "The number of threads in the grid", "gridDim.x * blockDim.x"),
        (start, "The index of a block's first thread", "blockIdx.x * blockDim.x"),
    ):
        if found:
            place = _cited(source, line_of(source, found.start()))
            yield f"{what} is {right}, but line {place} multiplies by gridDim instead of blockDim."


def _other_dimensions(source: str) -> Iterator[str]:
    """A launch with more or fewer dimensions than the only kernel reads in threadIdx or blockIdx."""
    text = CudaText.of(source)
    device = [each for each in text.functions if {"__global__", "__device__"} & each.qualifiers]
    code = text.blank  # a macro may read an index too
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
                        f"The {what} has x and y (line {place}), but no kernel reads {index}.{axis}: "
                        f"threads that differ only in {index}.{axis} do the same work."
                    )


def _sizes(text: str, argument: str) -> tuple[list[str], int]:
    """The sizes of a grid or block, and the place of their declaration (-1: in the launch). No sizes if unknown."""
    if not re.fullmatch(r"[A-Za-z_]\w*", argument):
        return ([argument] if re.fullmatch(r"[\w\s()+*/%,-]+", argument) and not _CALL.search(argument) else []), -1
    set_again = rf"\b{argument}\s*(?:\.\s*[xyz]\s*)?=(?!=)"
    made = [*re.finditer(rf"\bdim3\s+(?:[^;=]*,\s*)?{argument}\s*[({{]", text)]
    if len(made) == 1 and not re.search(set_again, text):
        begin = made[0].end() - 1
        return _split(text[begin + 1 : matching(text, begin)]), made[0].start()
    integer = rf"\b(?:int|long|unsigned|size_t|u?int\d+_t)\s+{set_again}"
    return ([argument] if not made and re.search(integer, text) else []), -1


def _narrow_index(source: str, elements: int) -> Iterator[str]:
    """A variable of 8 or 16 bits that holds a block's index, a size, or a loop index that goes up to a size."""
    for function in CudaText.of(source).functions:
        parameters = re.findall(r"(\w+)\s*(?:,|$)", function.parameters)
        for match in re.finditer(_NARROW, function.body):
            unsigned = "unsigned" in match[1]
            limit = LIMITS[match[1].split()[-1]] * (1 + unsigned) + unsigned
            until = re.match(rf"\s*{match[2]}\s*<=?\s*(\w+)", function.body[match.end() :])
            sized = re.search(r"\bblockIdx\b|\bgridDim\b|\bcdiv\b|\.\s*(?:size|numel)\s*\(", match[3])
            if limit < elements and (sized or (until and until[1] in parameters)):
                place = _cited(source, line_of(source, function.body_start + match.start(2)))
                yield (
                    f"Line {place} makes {match[2]} of type {match[1]}, which holds no number above {limit:,}: larger "
                    "numbers wrap around. Indices and sizes need int64_t."
                )


def _fraction_lost(source: str) -> Iterator[str]:
    """An integer variable that is set to an element of a float array, a shuffled float, or a float result."""
    text = CudaText.of(source)
    members = _one_of(_FLOAT, text.blank)
    for function in text.functions:
        arrays, floats = _one_of(_FLOAT_ARRAY, function.parameters), _one_of(_FLOAT, function.body)
        shuffled = rf"__shfl\w*_sync\s*\([^;,]{{0,80}},\s*(?:{floats}|\w+\.{members})\b"
        value = rf"{arrays}\s*\[|{_FLOAT_FUNCTION}\s*\(|{shuffled}"
        for match in re.finditer(rf"\b(?:int|long|unsigned|u?int\d+_t)\s+(\w+)\s*=\s*(?:{value})", function.body):
            place = _cited(source, line_of(source, function.body_start + match.start()))
            yield f"Line {place} makes {match[1]} an integer: is a fraction cut off there?"


def _one_of(declared: str, text: str) -> str:
    """A regular expression that matches any name that `declared` finds in `text`."""
    return f"(?:{'|'.join(set(re.findall(declared, text))) or '(?!)'})"


def _launches(source: str) -> Iterator[tuple[re.Match[str], tuple[str, str]]]:
    """Each launch with its first two arguments."""
    for launch in _LAUNCH.finditer(CudaText.of(source).blank):
        arguments = _split(launch[2])
        if len(arguments) > 1:
            yield launch, (arguments[0], arguments[1])


def _split(arguments: str) -> list[str]:
    """The arguments in an argument list; commas inside parentheses do not separate them."""
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
