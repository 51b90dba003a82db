"""What the tracer needs of a traced module's file, and how its findings become sentences with the student's lines."""

from __future__ import annotations

import ctypes
import dataclasses
import itertools
import operator
import re
import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path

from course.toolchains.base import Hazard
from course.toolchains.compiler import MAIN_SOURCE
from course.toolchains.cuda_text import functions, without_comments

OPERATIONS = ("load", "store", "atomic")  # as the runtime numbers them
PAST_THE_LAST = 2**64 - 1
REMARK = "remark"  # the runtime's kind for what is no hazard
NO_BARRIER_YET = "{no barrier yet}"  # what it appends to a race in a block that has passed none


@dataclasses.dataclass(frozen=True)
class Variable:
    """A variable with static storage: its function ("" outside of any), its name, its place in the library's file."""

    function: str
    name: str
    offset: int
    size: int


@dataclasses.dataclass(frozen=True)
class Traffic:
    """What the accesses in one line of a kernel asked of memory; `op` is `load`, `store` or `atomic`.

    A request is what a warp's lanes ask in one instruction, `bytes_each` each. `units` are 32-byte sectors in `global`
    memory and wavefronts in `shared` memory; `ideal` is the least number that could hold the bytes that were asked for.
    """

    kernel: str
    line: int
    space: str
    op: str
    bytes_each: int
    requests: int
    units: int
    ideal: int


def variables(library: Path) -> list[Variable]:
    """The writable variables of a library that have a size."""
    listed = subprocess.run(["nm", "-S", "-C", str(library)], capture_output=True, text=True, check=False).stdout
    found = []
    for line in listed.splitlines():
        # Of a function's static variable the name is `function(...)::name` (`void f<T>(...)::name`).
        if match := re.match(r"(\w+) (\w+) [bdBDuV] (?:(.+)::)?(\w+)$", line):
            offset, size, function, name = match.groups()
            found.append(Variable(function or "", name, int(offset, 16), int(size, 16)))
    return found


def on_device(function: str, source: str) -> bool:
    """Whether a function, as `variables` names it, is a kernel or a device function of `source`."""
    names = {f.name for f in functions(source) if f.qualifiers & {"__global__", "__device__"}}
    return plain_name(function) in names


def plain_name(function: str) -> str:
    """`k` of `void (anonymous namespace)::k<float>(float*)`."""
    function = function.replace("(anonymous namespace)::", "")
    while function != (shorter := re.sub(r"<[^<>]*>", "", function)):
        function = shorter
    return function.partition("(")[0].rpartition("::")[2].rpartition(" ")[2]


class TracedModule:
    """A loaded library that was built traced."""

    def __init__(self, path: Path, library: ctypes.CDLL, source: str):
        self.path, self.source = path, source
        self.code = ctypes.cast(library.course_invoke, ctypes.c_void_p)
        self.base = 0  # where the library lies in memory; known once a call begins
        here = [v for v in variables(path) if v.size]
        shared = [bool(v.function) and on_device(v.function, source) for v in here]
        names = [
            f"the shared array {v.name}" if is_shared else f"the variable {v.name}"
            for v, is_shared in zip(here, shared, strict=True)
        ]
        count = len(here)
        self.areas = (
            ctypes.c_int64(count),
            (ctypes.c_char_p * count)(*(name.encode() for name in names)),
            (ctypes.c_int64 * count)(*(v.offset for v in here)),
            (ctypes.c_int64 * count)(*(v.size for v in here)),
            (ctypes.c_bool * count)(*shared),
        )

    def begin(self, runtime: ctypes.CDLL, counting: bool) -> None:
        """Has the runtime trace the next call, and count its traffic where `counting`."""
        self.base = runtime.emulator_trace(self.code, *self.areas, ctypes.c_bool(counting))

    def tensor_parameters(self, function: str) -> list[str]:
        """The names of the tensors among a function's parameters, as its source has them; none where not told."""
        parameters = next((f.parameters for f in functions(self.source) if f.name == function), "")
        return re.findall(r"\bTensor\b\s*&?\s*(\w+)\s*(?:,|$)", parameters)

    def lines(self, codes: Iterable[int]) -> dict[int, int]:
        """The line of the student's source behind each return address; 0 where there is none."""
        codes = sorted(set(codes))
        if not codes:
            return {}
        # The call itself lies before the address to which it returns.
        offsets = [f"{code - 1 - self.base:x}" for code in codes]
        command = ["addr2line", "-a", "-i", "-e", str(self.path), *offsets]
        told = subprocess.run(command, capture_output=True, text=True, check=False).stdout
        lines = dict.fromkeys(codes, 0)
        for code, block in zip(codes, re.split(r"^0x.*\n", told, flags=re.MULTILINE)[1:], strict=False):
            # Of functions that were inlined into each other the innermost stands first.
            match = re.search(rf"^(?:.*/)?{MAIN_SOURCE}:(\d+)", block, re.MULTILINE)
            lines[code] = int(match[1]) if match else 0
        return lines

    def traffic(self, runtime: ctypes.CDLL) -> tuple[Traffic, ...]:
        """The traffic of the last call, in the order of its lines."""
        found = []
        for site in itertools.count():
            for shared in (False, True):
                kernel, numbers = ctypes.c_char_p(), (ctypes.c_int64 * 5)()
                place = (ctypes.c_int64(site), ctypes.c_bool(shared))
                code = runtime.emulator_traffic(*place, ctypes.byref(kernel), numbers)
                if code == PAST_THE_LAST:
                    return self._by_line(found)
                if code:
                    found.append((code, kernel.value.decode(), "shared" if shared else "global", *numbers))

    def _by_line(self, found: Sequence[tuple]) -> tuple[Traffic, ...]:
        lines = self.lines(code for code, *_ in found)
        totals: dict[tuple, list[int]] = {}
        for code, kernel, space, op, size, *numbers in found:
            total = totals.setdefault((kernel, lines[code], space, OPERATIONS[op], size), [0, 0, 0])
            total[:] = map(operator.add, total, numbers)
        return tuple(Traffic(*key, *total) for key, total in sorted(totals.items()))

    def told(self, reported: Sequence[Hazard]) -> tuple[tuple[Hazard, ...], tuple[str, ...]]:
        """The hazards and the remarks in what the runtime reported, with lines for the addresses of code."""
        texts = [int(code, 16) for hazard in reported for code in re.findall(r"\{(0x\w+)\}", hazard.detail)]
        lines = self.lines([*texts, *(place["code"] for h in reported for place in h.where if place["code"])])
        found = [self._with_lines(hazard, lines) for hazard in reported]
        racing = {(h.kernel, place["line"]) for h in found if h.kind == "race" for place in h.where}
        hazards: dict[tuple, Hazard] = {}
        for hazard in found:
            lines_here = tuple(sorted(place["line"] for place in hazard.where))
            # Where a barrier is missing, what was not written yet is read: that is one mistake, and not two.
            if hazard.kind == REMARK or (
                hazard.kind == "uninitialised-read" and racing & {(hazard.kernel, line) for line in lines_here}
            ):
                continue
            hazards.setdefault((hazard.kind, hazard.kernel, lines_here), hazard)
        return tuple(hazards.values()), tuple(dict.fromkeys(h.detail for h in found if h.kind == REMARK))

    def _with_lines(self, hazard: Hazard, lines: dict[int, int]) -> Hazard:
        detail, no_barrier_yet, _ = hazard.detail.partition(NO_BARRIER_YET)
        detail = re.sub(r"\{(0x\w+)\}", lambda match: str(lines[int(match[1], 16)] or "?"), detail)
        where = tuple(
            {"line": place["line"] or lines.get(place["code"], 0), "block": place["block"], "thread": place["thread"]}
            for place in hazard.where
        )
        if hazard.kind == "race":
            detail += self._advice(*where, "shared" in detail, bool(no_barrier_yet))
        if hazard.kernel:
            detail += _who(where)
        return dataclasses.replace(hazard, detail=detail, where=where)

    def _advice(self, one: dict, other: dict, shared: bool, no_barrier_yet: bool) -> str:
        """What is missing, of two accesses that race."""
        low, high = sorted((one["line"], other["line"]))
        if one["block"] != other["block"]:
            return ", in another block; blocks run in no order: give each element to one thread, or use atomicAdd"
        between = without_comments(self.source).splitlines()[low : high - 1]
        if not no_barrier_yet and any("__syncthreads" in line for line in between):
            return f"; a __syncthreads() is missing after line {high}, before line {low} runs again"
        if low == high and not shared:
            return "; give each element to one thread, or use atomicAdd"
        if low == high:
            return f"; a __syncthreads() is missing before line {low} runs again, or it must be an atomicAdd"
        return f"; a __syncthreads() is missing between line {low} and line {high}"


def _who(where: Sequence[dict]) -> str:
    """The blocks and threads of the places, as a parenthesis."""
    if not where:
        return ""
    blocks = list(dict.fromkeys(_index(place["block"]) for place in where))
    threads = list(dict.fromkeys(_index(place["thread"]) for place in where))
    if len(blocks) == 1 or len(threads) == 1:
        several = "s" * (len(threads) > 1)
        return f" (block{'s' * (len(blocks) > 1)} {' and '.join(blocks)}, thread{several} {' and '.join(threads)})"
    return f" ({', '.join(f'block {b} thread {t}' for b, t in zip(blocks, threads, strict=True))})"


def _index(index: Sequence[int]) -> str:
    return str(tuple(index)) if any(index[1:]) else str(index[0])
