"""Mistakes that the text of a kernel shows with certainty. They are looked for only if its values are wrong."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator

from course.toolchains.cuda_text import CudaText, FunctionText, cited, line_of

LONGEST = 20_000  # characters
_WHOLE = r"(?:(?:unsigned\s+)?(?:int|long|short|char)|unsigned|u?int\d+_t|size_t)"
_NUMBER = rf"(?:float|double|half|__half|float2|float4|scalar_t|{_WHOLE})"
_INDICES = r"(?:\s*\[[^\[\]]*\])"
_UPDATE = rf"(?:{_INDICES})*\s*(?:[-+*/]=|\+\+|--)"


@functools.lru_cache(maxsize=4)  # called for each case of an answer
def source_clue(source: str) -> str:
    """What is certainly wrong in a source, as a sentence; "" for nothing."""
    return next((sentence for clue in (_not_shared, _no_first_value) for sentence in clue(source)), "")


def _not_shared(source: str) -> Iterator[str]:
    """An array for a tile that lacks __shared__, so that each thread has its own array.

    Two signs show that threads should share the array. A thread stores at its own index and uses the array after a
    barrier, or an asynchronous copy goes to the array. Asynchronous copies can only go to shared memory.
    """
    for kernel in _kernels(source):
        own = _set_from_the_thread(kernel.body)
        seen: set[str] = set()
        for match in re.finditer(rf"\b(?!return\b)\w+\s+(\w+){_INDICES}+\s*;", kernel.body):
            name, after = match[1], kernel.body[match.end() :]
            if name in seen:
                continue
            seen.add(name)
            stores = list(re.finditer(rf"\b{name}((?:{_INDICES})+)\)?\s*=(?!=)", after))
            by_thread = all(own & set(re.findall(r"\w+", store[1])) for store in stores)
            barrier = after.find("__syncthreads")
            if _is_lasting(kernel, match.start()):
                continue
            passed_on = stores and by_thread and stores[0].start() < barrier
            copied = re.search(rf"__pipeline_memcpy_async\s*\(\s*(?:&\s*)?{name}\b", after)
            if copied or (passed_on and re.search(rf"\b{name}\b", after[barrier:])):
                place = _cited(source, kernel, match.start(1))
                yield (
                    f"{name} is not __shared__: line {place} gives each thread its own array, without the elements "
                    "that other threads load."
                )


def _no_first_value(source: str) -> Iterator[str]:
    """A variable that has no first value when its first use adds to it."""
    for kernel in _kernels(source):
        for match in re.finditer(rf"\b{_NUMBER}\s+(\w+(?:{_INDICES})*(?:\s*,\s*\w+)*)\s*;", kernel.body):
            if _is_lasting(kernel, match.start()):
                continue
            for name in re.findall(r"\w+", re.sub(_INDICES, "", match[1])):
                use = re.compile(rf"\b{name}\b").search(kernel.body, match.end())
                if not use:
                    continue
                start, between = use.start(), kernel.body[match.end() : use.start()]
                # A condition in between could skip this use, so another use might come first.
                if re.match(rf"{name}{_UPDATE}", kernel.body[start:]) and not re.search(
                    r"\b(?:if|else|switch|case|goto)\b|\?", between
                ):
                    declared = _cited(source, kernel, match.start(1))
                    yield (
                        f"{name} has no value when line {_cited(source, kernel, start)} first adds to it: line "
                        f"{declared} declares it and does not set it to 0."
                    )


@functools.lru_cache(maxsize=4)  # called for each case of an answer
def whole_sum(source: str) -> str:
    """The line that declares a sum as a whole number, "" if there is none."""
    for kernel in _kernels(source):
        for match in re.finditer(rf"\b{_WHOLE}\s+(\w+)\s*=\s*0(?:\.0?f?)?\s*;", kernel.body):
            if re.search(rf"\b{match[1]}\s*\+=[^;]{{0,200}}[\[(]", kernel.body[match.end() :]):
                return _cited(source, kernel, match.start(1))
    return ""


@functools.lru_cache(maxsize=4)  # called for each case of an answer
def declared_again(source: str) -> str:
    """The sentence for a variable that an inner block declares again, though the outer variable is stored."""
    for kernel in _kernels(source):
        scopes: list[dict[str, int]] = [{}]  # where the variables of each open block are declared
        for match in re.finditer(rf"\{{|\}}|\b{_NUMBER}\s+(\w+)\s*(?=[=;])", kernel.body):
            if match[0] == "{":
                scopes.append({})
            elif match[0] == "}":
                scopes.pop()
            else:
                name = match[1]
                outer = next((scope[name] for scope in scopes[:-1] if name in scope), None)
                if outer is not None and re.compile(rf"=\s*{name}\s*;").search(kernel.body, match.end()):
                    first = line_of(source, kernel.body_start + outer)
                    return (
                        f"Line {_cited(source, kernel, match.start(1))} declares a second {name}: what is added to "
                        f"this second {name} is lost, and the {name} of line {first} does not change."
                    )
                scopes[-1].setdefault(name, match.start(1))
    return ""


@functools.lru_cache(maxsize=4)  # called for each case of an answer
def lost_in_shuffle(source: str) -> str:
    """The sentence for a shuffle that replaces the variable to which its value should be added, "" for none."""
    for kernel in _kernels(source):
        if match := re.search(r"\b(\w+)\s*=\s*__shfl_(?:down|xor)_sync\s*\([^;]{0,80},\s*\1\s*,", kernel.body):
            place = _cited(source, kernel, match.start())
            return f"Line {place} replaces {match[1]} by the value of another lane: to add that value, use +=, not =."
    return ""


@functools.lru_cache(maxsize=4)  # called for each case of an answer
def adds_to_output(source: str) -> str:
    """The sentence for a kernel that adds to memory through one of its parameters, "" for none."""
    for kernel in _kernels(source):
        for name in re.findall(r"\*\s*(?:__restrict__\s+|const\s+)*(\w+)\s*(?:,|$)", kernel.parameters):
            add = rf"\b{name}\s*\[[^;=]{{0,200}}\]\s*[-+]=|\batomicAdd\s*\(\s*(?:&\s*)?{name}\b"
            if match := re.search(add, kernel.body):
                return (
                    f"Line {_cited(source, kernel, match.start())} adds to {name}, and new memory is not 0: store with "
                    "= if only one thread stores the element, or let the wrapper set the output to 0 first, as "
                    "torch::zeros does."
                )
    return ""


def _kernels(source: str) -> list[FunctionText]:
    """The functions that run on the device; no functions if the text is far longer than a kernel of the course."""
    if len(source) > LONGEST:
        return []
    return [f for f in CudaText.of(source).functions if {"__global__", "__device__"} & f.qualifiers]


def _set_from_the_thread(body: str) -> set[str]:
    """The variables that are only set from `threadIdx`, or from an earlier such variable."""
    found, others = {"threadIdx"}, set[str]()
    for match in re.finditer(r"\b(\w+)\s*=(?!=)([^;,{}]*)", body):
        (found if found & set(re.findall(r"\w+", match[2])) else others).add(match[1])
    return found - others


def _is_lasting(kernel: FunctionText, offset: int) -> bool:
    """Whether the declaration at an offset declares something other than a thread's own variable."""
    before = re.split(r"[;{}]", kernel.body[max(0, offset - 200) : offset])[-1]
    before = re.sub(r"\b(?:__align__|alignas)\s*\([^()]*\)", "", before)
    return bool(re.search(r"\b(?:__shared__|static|extern)\b|\(", before))


def _cited(source: str, kernel: FunctionText, offset: int) -> str:
    """The line of an offset in a kernel's body, with its text."""
    return cited(CudaText.of(source).without_comments, line_of(source, kernel.body_start + offset))
