"""What the tracer needs of a traced module's file, and how its findings become sentences with the student's lines."""

from __future__ import annotations

import array
import collections
import ctypes
import dataclasses
import functools
import operator
import re
import subprocess
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from course.errors import Hazard
from course.toolchains import compiler
from course.toolchains.compiler import MAIN_SOURCE
from course.toolchains.cuda_text import CudaText

OPERATIONS = ("load", "store", "atomic")  # as the runtime numbers them
SPACES = ("global", "shared")
SECTOR = 32  # bytes of global memory that are moved at least
REMARK = "remark"  # the runtime's kind for what is no hazard
# What it appends to a race in a block that has passed no barrier, and to one between lanes of a warp.
NO_BARRIER_YET, ONE_WARP = "{no barrier yet}", "{one warp}"


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
    `lanes` are the threads that took part, summed over the requests: `lanes / requests / 32` is 1 without divergence.
    """

    kernel: str
    line: int
    space: str
    op: str
    bytes_each: int
    requests: int
    units: int
    ideal: int
    lanes: int


class Access(NamedTuple):
    """One thread's part of one request.

    `array` is the name of a tensor, as the wrapper's parameter or else as the kernel's, or of a shared array; `offset`
    counts bytes from the start of its memory (of a view: from that of the tensor of which it is one). `block` and
    `thread` are (x, y, z), `lane` is the thread's place in its warp. The lanes that ask together have the same
    `request`, numbered from 0 warp by warp between two barriers; `interval` is how many barriers the block has passed.
    """

    kernel: str
    line: int
    space: str
    op: str
    bytes_each: int
    array: str
    offset: int
    block: tuple[int, int, int]
    thread: tuple[int, int, int]
    lane: int
    request: int
    interval: int


@dataclasses.dataclass(frozen=True)
class Layout:
    """How a tensor lies in its memory: `strides` and `start`, its first element, in elements; `itemsize` in bytes."""

    shape: tuple[int, ...]
    strides: tuple[int, ...]
    itemsize: int
    start: int


@dataclasses.dataclass(frozen=True)
class Touched:
    """The distinct 32-byte sectors of global memory that one launch read, and that it wrote.

    It is what DRAM must move if the cache keeps everything. An atomic operation reads and writes.
    """

    kernel: str
    read: int
    written: int


def variables(library: Path) -> list[Variable]:
    """The writable variables of a library that have a size. Raises BuildError where they cannot be listed."""
    listed = compiler.listed(["nm", "-S", "-C", library.name], library.parent)
    found = []
    for line in listed.splitlines():
        # Of a function's static variable the name is `function(...)::name` (`void f<T>(...)::name`).
        if match := re.match(r"(\w+) (\w+) [bdBDuV] (?!(?:vtable|typeinfo|VTT) )(?:(.+)::)?(\w+)$", line):
            offset, size, function, name = match.groups()
            found.append(Variable(function or "", name, int(offset, 16), int(size, 16)))
    return found


def on_device(function: str, source: str) -> bool:
    """Whether a function, as `variables` names it, is a kernel or a device function of `source`."""
    return plain_name(function) in _device_functions(source)


@functools.lru_cache(maxsize=4)  # a source is asked about once for each of its variables
def _device_functions(source: str) -> frozenset[str]:
    return frozenset(f.name for f in CudaText.of(source).functions if f.qualifiers & {"__global__", "__device__"})


def _declared(source: str, specifiers: str) -> set[str] | None:
    """The names that `source` declares with one of these (`device|constant`); None where it may do so out of sight."""
    text = re.sub(r"\b(?:__align__|alignas)\s*\((?:[^()]|\([^()]*\))*\)", " ", CudaText.of(source).blank)
    if re.search(rf'#\s*(?:include\s*"|define\b.*__(?:{specifiers})__)', text):
        return None
    declared = re.findall(rf"\b__(?:{specifiers})__\b([^;={{(]*(?:\(\s*\*[\w\s]*)?)", text)
    # Of `__constant__ float weights[3] = {...}` and `__constant__ int a, b;` the names.
    return {name for each in declared for name in re.findall(r"(\w+)\s*(?:\[[^,]*)?(?:,|$)", each)}


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
        self._lines: dict[int, int] = {}  # that are known
        on_device_by_name = _declared(source, "device|managed|constant")
        words = set(re.findall(r"\w+", CudaText.of(source).blank))
        here, shared = [], []
        for variable in variables(path):
            if (
                not variable.size or variable.function == "course::module()"
            ):  # the stand-in's own, which each call reads
                continue
            is_shared = bool(variable.function) and on_device(variable.function, source)
            # The wrapper's own variables are the host's, where no kernel can reach them. What the source does not name
            # is the stand-in's, which a call through a pointer uses.
            is_hosts = on_device_by_name is not None and variable.name in words - on_device_by_name
            if is_shared or not is_hosts:
                here.append(variable)
                shared.append(is_shared)
        names = _declared(source, "constant") or ()
        constant = [not is_shared and v.name in names for v, is_shared in zip(here, shared, strict=True)]
        count = len(here)
        self.areas = (
            ctypes.c_int64(count),
            (ctypes.c_char_p * count)(*(v.name.encode() for v in here)),
            (ctypes.c_int64 * count)(*(v.offset for v in here)),
            (ctypes.c_int64 * count)(*(v.size for v in here)),
            (ctypes.c_bool * count)(*shared),
            (ctypes.c_bool * count)(*constant),
        )

    def begin(self, runtime: ctypes.CDLL, counting: bool, max_accesses: int) -> None:
        """Has the runtime trace the next call, and count its traffic where `counting`.

        A launch with more than `max_accesses` accesses is counted on a sample of its blocks; 0 is no limit.
        """
        self.base = runtime.emulator_trace(
            self.code, *self.areas, ctypes.c_bool(counting), ctypes.c_int64(max_accesses)
        )

    def tensor_parameters(self, function: str) -> list[str]:
        """The names of the tensors among a function's parameters, as its source has them; none where not told."""
        parameters = next((f.parameters for f in CudaText.of(self.source).functions if f.name == function), "")
        return re.findall(r"\bTensor\b\s*&?\s*(\w+)\s*(?:,|$)", parameters)

    def lines(self, codes: Iterable[int]) -> dict[int, int]:
        """The line of the student's source behind each return address; 0 where there is none."""
        codes = set(codes)
        unknown = sorted(codes - self._lines.keys())
        if unknown:
            # The call itself lies before the address to which it returns.
            offsets = [f"{code - 1 - self.base:x}" for code in unknown]
            command = ["addr2line", "-a", "-i", "-e", str(self.path), *offsets]
            told = subprocess.run(command, capture_output=True, text=True, check=False).stdout
            self._lines |= dict.fromkeys(unknown, 0)
            for code, block in zip(unknown, re.split(r"^0x.*\n", told, flags=re.MULTILINE)[1:], strict=False):
                # Of functions that were inlined into each other the innermost stands first.
                match = re.search(rf"^(?:.*/)?{MAIN_SOURCE}:(\d+)", block, re.MULTILINE)
                self._lines[code] = int(match[1]) if match else 0
        return {code: self._lines[code] for code in codes}

    def traffic(self, runtime: ctypes.CDLL) -> tuple[Traffic, ...]:
        """The traffic of the last call, in the order of its lines."""
        totals: dict[tuple, list[int]] = {}
        for key, numbers in self._sites(runtime).values():
            totals[key] = list(map(operator.add, totals.get(key, [0] * len(numbers)), numbers))
        return tuple(Traffic(*key, *total) for key, total in sorted(totals.items()))

    def accesses(self, runtime: ctypes.CDLL) -> tuple[tuple[Access, ...], dict[str, Layout], int]:
        """The accesses of the first block of each kernel's first launch, and how many more there were than are kept.

        Between them, by the array's name, how the tensors lie that were accessed.
        """
        left_out, block = ctypes.c_int64(), (0, 0, 0)
        sites, arrays = self._sites(runtime), _table(runtime.emulator_arrays, 4)
        names = self._array_names(arrays)
        accesses = tuple(
            Access(*sites[site][0], names[array], offset, block, (x, y, z), lane, request, interval)
            for site, array, offset, x, y, z, lane, request, interval in _table(
                runtime.emulator_accesses, 9, ctypes.byref(left_out)
            )
        )
        return accesses, _layouts(runtime, arrays, names), left_out.value

    def _sites(self, runtime: ctypes.CDLL) -> dict[int, tuple[tuple[str, int, str, str, int], tuple[int, ...]]]:
        """Of each place in the code that has traffic, by number: kernel, line, space, op and bytes; and the counts."""
        rows = _table(runtime.emulator_traffic, 10)
        lines = self.lines(code for _, code, *_ in rows)
        return {
            number: ((_text(kernel), lines[code], SPACES[shared], OPERATIONS[op], size), tuple(counts))
            for number, code, kernel, op, shared, size, *counts in rows
        }

    def touched(self, runtime: ctypes.CDLL) -> tuple[Touched, ...]:
        """The sectors that each launch of the last call touched, in order, except those that were sampled."""
        launches = _table(runtime.emulator_touched, 5)
        return tuple(Touched(_text(kernel), *sectors) for kernel, *sectors, run, blocks in launches if run == blocks)

    def sampled(self, runtime: ctypes.CDLL) -> str | None:
        """Which launches of the last call were counted on a sample of their blocks; None where none was."""
        sentences = [
            f"{_text(kernel)} was traced on {run:,} of its {blocks:,} blocks, and its counts are scaled to all of them"
            for kernel, _, _, run, blocks in _table(runtime.emulator_touched, 5)
            if run < blocks
        ]
        return "; ".join(dict.fromkeys(sentences)) or None

    def _array_names(self, arrays: Sequence[tuple[int, ...]]) -> list[str]:
        """The names of arrays, each given by kernel, address, label and number among the kernel's parameters."""
        labels = {_text(label) for _, _, label, _ in arrays}
        names = []
        for kernel, _, label, parameter in arrays:
            name = _text(label) or self._parameter(_text(kernel), parameter)
            names.append(name if _text(label) or name not in labels else f"{name} (new)")
        return names

    def _parameter(self, kernel: str, number: int) -> str:
        """The name of a kernel's parameter; "new tensor" where it is not told."""
        text = next(
            (f.parameters for f in CudaText.of(self.source).functions if f.name == kernel.rpartition("::")[2]), ""
        )
        names = re.findall(r"(\w+)\s*(?:=[^,]*)?(?:,|$)", re.sub(r"<[^<>]*>|\([^()]*\)", "", text).strip())
        return names[number] if 0 <= number < len(names) else "new tensor"

    def told(self, reported: Sequence[Hazard]) -> tuple[tuple[Hazard, ...], tuple[str, ...]]:
        """The hazards and the remarks in what the runtime reported, with lines for the addresses of code."""
        texts = [int(code, 16) for hazard in reported for code in re.findall(r"\{(0x\w+)\}", hazard.detail)]
        lines = self.lines([*texts, *(place["code"] for h in reported for place in h.where if place["code"])])
        found = [_with_lines(hazard, lines) for hazard in reported]
        racing = {(h.kernel, line) for h in found if h.kind == "race" for line in _lines(h)}
        hazards: dict[tuple, Hazard] = {}
        for hazard in found:
            # Where a barrier is missing, what was not written yet is read: that is one mistake, and not two.
            if hazard.kind == REMARK or (
                hazard.kind == "uninitialised-read" and racing & {(hazard.kernel, line) for line in _lines(hazard)}
            ):
                continue
            advice = self._advice(hazard, found) if hazard.kind == "race" else ""
            hazards.setdefault((hazard.kind, hazard.kernel, tuple(_lines(hazard))), _worded(hazard, advice))
        return tuple(hazards.values()), tuple(dict.fromkeys(_worded(h).detail for h in found if h.kind == REMARK))

    def _advice(self, race: Hazard, found: Sequence[Hazard]) -> str:
        """What fixes a race; `found` is all that was reported in the call."""
        low, high = _lines(race)
        here = [h for h in found if h.kernel == race.kernel and set(_lines(h)) <= {low, high}]
        reads = " reads " in race.detail
        shared = race.detail.startswith(("a race on the shared", "a race on the dynam"))
        several = low == high and any("several threads change it" in h.detail for h in here)
        text = dict(enumerate(CudaText.of(self.source).without_comments.splitlines(), 1))
        constant, condition = r"(?:\*\s*\w+|\])\s*=\s*(?:true|false|\d+)\s*;", r"\b(?:if|while|for)\s*\("
        # By PTX's memory consistency model two unordered accesses race unless both are strong, atomic or volatile; that
        # the values are the same makes no difference.
        if (
            reads
            and not shared
            and any(
                re.search(constant, text.get(write, "")) and re.search(condition, text.get(read, ""))
                for write, read in ((low, high), (high, low))
            )
        ):
            return (
                "; a flag that is read while other threads set it, be it to the same value, is a race, since the"
                " compiler may keep a plain read: use atomicAdd(flag, 0) and atomicExch(flag, 1), or a volatile pointer"
            )
        if "(asynchronously)" in race.detail:
            return (
                "; what an asynchronous copy stores may arrive at any time until it is waited for: a __syncthreads()"
                " must stand between the last use of its place and the copy, and between the wait and the next use"
            )
        if race.where[0]["block"] != race.where[1]["block"]:
            fix = "give each element to one thread, or use atomicAdd"
            if reads and not several:
                fix = "write to another tensor than is read, or do one of the two in a launch of its own"
            elif not several and "(atomically)" in race.detail:
                fix = "do one of the two in a launch of its own"
            return f", in another block; blocks run in no order: {fix}"
        between = [text[line] for line in range(low + 1, high)]
        if NO_BARRIER_YET not in race.detail and any("__syncthreads" in line for line in between):
            return f"; a __syncthreads() is missing after line {high}, before line {low} runs again"
        if several:
            again = f", or a __syncthreads() is missing before line {low} runs again" if shared else ""
            return f"; give each element to one thread, or use atomicAdd{again}"
        if low == high and not shared:
            return "; some threads read the old value and some the new: write to another tensor than is read"
        place = f"between line {low} and line {high}"
        if low == high:
            place = f"before line {low} runs again, or between what it reads and what it writes"
        warp = " (a __syncwarp() does where a single warp runs this)" if ONE_WARP in race.detail else ""
        return f"; a __syncthreads() is missing {place}{warp}"


def _with_lines(hazard: Hazard, lines: dict[int, int]) -> Hazard:
    detail = re.sub(r"\{(0x\w+)\}", lambda match: str(lines[int(match[1], 16)] or "?"), hazard.detail)
    where = tuple(
        {"line": place["line"] or lines.get(place["code"], 0), "block": place["block"], "thread": place["thread"]}
        for place in hazard.where
    )
    return dataclasses.replace(hazard, detail=detail, where=where)


def _lines(hazard: Hazard) -> list[int]:
    return sorted(place["line"] for place in hazard.where)


def _worded(hazard: Hazard, advice: str = "") -> Hazard:
    detail = hazard.detail.replace(NO_BARRIER_YET, "").replace(ONE_WARP, "") + advice
    return dataclasses.replace(hazard, detail=detail + (_who(hazard.where) if hazard.kernel else ""))


def _table(function: Callable, width: int, *rest: Any) -> list[tuple[int, ...]]:
    """The rows of one of the runtime's tables."""
    numbers = ctypes.POINTER(ctypes.c_int64)()
    count = function(ctypes.byref(numbers), *rest)
    flat = array.array("q", ctypes.string_at(numbers, 8 * count * width))
    return list(zip(*[iter(flat)] * width, strict=True))


def _layouts(runtime: ctypes.CDLL, arrays: Sequence[tuple[int, ...]], names: Sequence[str]) -> dict[str, Layout]:
    """How the tensors lie that are among these arrays; a name that stands for several is left out where they differ."""
    dimensions = collections.defaultdict(list)
    for begin, *dimension in _table(runtime.emulator_layouts, 5):
        dimensions[begin].append(dimension)
    found = collections.defaultdict(set)
    for (_, begin, _, _), name in zip(arrays, names, strict=True):
        if begin in dimensions:
            itemsizes, starts, shape, strides = zip(*dimensions[begin], strict=True)
            found[name].add(Layout(shape, strides, itemsizes[0], starts[0]))
    return {name: layouts.pop() for name, layouts in found.items() if len(layouts) == 1}


def _text(address: int) -> str:
    return ctypes.string_at(address).decode()


def _who(where: Sequence[Mapping]) -> str:
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
