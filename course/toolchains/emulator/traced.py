"""Reads what the runtime reports about a call, and adds the student's lines and names to what it traced."""

from __future__ import annotations

import array
import collections
import ctypes
import dataclasses
import math
import operator
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from course.explain.counts import OPERATIONS, SPACES, Access, Layout, Touched, Traffic, Work
from course.explain.hazards import sampled
from course.explain.reports import Place, Reason, Report, Subject, SubjectKind
from course.text.cuda import CudaText
from course.text.syntax import Declared
from course.toolchains.emulator.instrument import line_at
from course.toolchains.emulator.variables import Variable, on_device, plain_name, variables


def numbers(function: Callable, *rest: Any) -> array.array[int]:
    """The numbers of a table whose `function` returns how many it has."""
    start = ctypes.POINTER(ctypes.c_int64)()
    count = function(ctypes.byref(start), *rest)
    return array.array("q", ctypes.string_at(start, 8 * count))


def rows(function: Callable, width: int, *rest: Any) -> list[tuple[int, ...]]:
    """The rows of a table, which have `width` numbers."""
    return list(zip(*[iter(numbers(function, *rest))] * width, strict=True))


def text(address: int) -> str:
    """The text at an address from a table."""
    return ctypes.string_at(address).decode(errors="replace")


def reported(runtime: ctypes.CDLL) -> list[Report]:
    """What the runtime reports about the last call, in order."""
    table = iter(numbers(runtime.emulator_reports))
    return [_report(list(Reason)[number], table) for number in table]


def _report(reason: Reason, table: Iterator[int]) -> Report:
    kernel, kind, name = islice(table, 3)
    sizes, facts, places = (tuple(islice(table, next(table))) for _ in range(3))
    each = zip(*[iter(places)] * 8, strict=True)
    found = tuple(Place(code, line, tuple(index[:3]), tuple(index[3:])) for code, line, *index in each if code or line)
    subject = Subject(SubjectKind(kind), text(name), sizes)
    return Report(reason, text(kernel), subject, dict(zip(reason.facts, facts, strict=True)), found)


_ON_DEVICE = ("__device__", "__managed__", "__constant__")
# Who can use a variable: Side in runtime/shadow.h.
_DEVICE, _UNKNOWN, _BOTH = range(3)


def _declared(source: str, *specifiers: str) -> set[str]:
    """The names that `source` itself declares with one of these specifiers."""
    return {each.name for each in CudaText.of(source).syntax.declared if not each.words.isdisjoint(specifiers)}


def _hides_declarations(source: str) -> bool:
    """Whether a header of the source's own, or a macro, may declare variables of the device."""
    cuda = CudaText.of(source)
    macros = " ".join(cuda.lines[begin:end] for _, (begin, end) in cuda.definitions)
    return any(header.startswith('"') for header, _ in cuda.includes) or any(word in macros for word in _ON_DEVICE)


def _is_shared(variable: Variable, source: str) -> bool:
    """Whether a static variable is a shared array: that of a function of the device.

    A function that the source does not define is most likely a kernel in one of its headers.
    """
    if not variable.function:
        return False
    functions = {each.name for each in CudaText.of(source).functions}
    in_header = _hides_declarations(source) and plain_name(variable.function) not in functions
    return in_header or on_device(variable.function, source)


class TracedModule:
    """A loaded library that was built traced."""

    def __init__(self, path: Path, library: ctypes.CDLL, source: str):
        self.path, self.source = path, source
        self.code = ctypes.cast(library.course_invoke, ctypes.c_void_p)
        on_device_by_name = None if _hides_declarations(source) else _declared(source, *_ON_DEVICE)
        words = {word for name in CudaText.of(source).syntax.names for word in name.text.split("::")}
        here, shared = [], []
        for variable in variables(path):
            # The second belongs to the shim, and each call reads it.
            if not variable.size or variable.guard or variable.function == "course::module()":
                continue
            is_shared = _is_shared(variable, source)
            # The wrapper's own variables are on the host, where no kernel can reach them. A variable that the source
            # does not name is the shim's, and a call through a pointer uses it.
            is_hosts = on_device_by_name is not None and variable.name in words - on_device_by_name
            if is_shared or not is_hosts:
                here.append(variable)
                shared.append(is_shared)
        constants, managed = _declared(source, "__constant__"), _declared(source, "__managed__")
        devices = _declared(source, "__device__", "__constant__") - managed
        constant = [not is_shared and v.name in constants for v, is_shared in zip(here, shared, strict=True)]
        sides = [_BOTH if v.name in managed else _DEVICE if v.name in devices else _UNKNOWN for v in here]
        count = len(here)
        self.areas = (
            ctypes.c_int64(count),
            (ctypes.c_char_p * count)(*(v.name.encode() for v in here)),
            (ctypes.c_int64 * count)(*(v.offset for v in here)),
            (ctypes.c_int64 * count)(*(v.size for v in here)),
            (ctypes.c_bool * count)(*shared),
            (ctypes.c_bool * count)(*constant),
            (ctypes.c_int8 * count)(*sides),
            ctypes.c_bool(any(word in source for word in ("shfl", "cooperative_groups", "cub/"))),
        )

    def begin(self, runtime: ctypes.CDLL, counting: bool, max_accesses: int, blank: bool) -> None:
        """Let the runtime trace the next call, and count its traffic if `counting`.

        A launch with more than `max_accesses` accesses is counted on a sample of its blocks; 0 is no limit. The tensors
        of a `blank` call have no values and take no memory: see `course.toolchains.emulator.calls.Counted`.
        """
        options = (ctypes.c_bool(counting), ctypes.c_int64(max_accesses), ctypes.c_bool(blank))
        runtime.emulator_trace(self.code, *self.areas, *options)

    def tensor_parameters(self, function: str) -> list[str]:
        """The names of the tensors among a function's parameters; empty if the source does not show them."""
        parameters = self._parameters(function)
        return [each.name for each in parameters if each.type.rpartition("::")[2] == "Tensor" and not each.pointers]

    def _parameters(self, function: str) -> tuple[Declared, ...]:
        return next((f.parameters for f in CudaText.of(self.source).functions if f.name == function), ())

    def traffic(self, runtime: ctypes.CDLL) -> tuple[Traffic, ...]:
        """The traffic of the last call, in the order of its lines."""
        totals: dict[tuple, list[int]] = {}
        for key, numbers in self._sites(runtime).values():
            totals[key] = list(map(operator.add, totals.get(key, [0] * len(numbers)), numbers))
        return tuple(Traffic(*key, *total) for key, total in sorted(totals.items()))

    def accesses(self, runtime: ctypes.CDLL) -> tuple[tuple[Access, ...], dict[str, Layout], int]:
        """The accesses of the first block of each kernel's first launch, layouts, and the number of accesses not kept.

        The layouts are those of the accessed tensors, by the array's name.
        """
        left_out, block = ctypes.c_int64(), (0, 0, 0)
        sites, arrays = self._sites(runtime), rows(runtime.emulator_arrays, 4)
        names = self._array_names(arrays)
        accesses = tuple(
            Access(*sites[site][0], names[array], offset, block, (x, y, z), lane, request, interval, warp)
            for site, array, offset, x, y, z, lane, request, interval, warp in rows(
                runtime.emulator_accesses, 10, ctypes.byref(left_out)
            )
        )
        return accesses, _layouts(runtime, arrays, names), left_out.value

    def _sites(self, runtime: ctypes.CDLL) -> dict[int, tuple[tuple[str, int, str, str, int], tuple[int, ...]]]:
        """For each place in the code with traffic, by its number: kernel, line, space, op, bytes, and the counts."""
        table = rows(runtime.emulator_traffic, 12)
        return {
            number: ((text(kernel), line_at(code), SPACES[shared], OPERATIONS[op], size), tuple(counts))
            for number, code, kernel, op, shared, size, *counts in table
        }

    def touched(self, runtime: ctypes.CDLL) -> tuple[Touched, ...]:
        """The sectors that each launch of the last call touched, in order, without the launches that were sampled."""
        return tuple(Touched(text(row[0]), *row[8:10]) for row in _launches(runtime) if _is_whole(row))

    def work(self, runtime: ctypes.CDLL) -> tuple[Work, ...]:
        """How each launch of the last call distributed its work, in order, without the launches that were sampled."""
        launches = _launches(runtime)
        arrays = [(row[0], 0, *row[25:27]) for row in launches]
        return tuple(
            Work(text(row[0]), tuple(row[1:4]), tuple(row[4:7]), name, row[27], *row[10:25])
            for row, name in zip(launches, self._array_names(arrays), strict=True)
            if _is_whole(row)
        )

    def launched(self, runtime: ctypes.CDLL) -> list[tuple[int, int]]:
        """For each launch of the last call: its blocks, and the most cycles of the L1 cache for one that ran."""
        return [(math.prod(row[1:4]), row[19]) for row in _launches(runtime)]

    def sampled(self, runtime: ctypes.CDLL) -> str | None:
        """Which launches of the last call were counted on a sample of their blocks; None if none were."""
        return sampled((text(row[0]), row[7], math.prod(row[1:4])) for row in _launches(runtime))

    def _array_names(self, arrays: Sequence[tuple[int, ...]]) -> list[str]:
        """The names of arrays, each given by kernel, address, label and number among the kernel's parameters."""
        labels = {text(label) for _, _, label, _ in arrays}
        names = []
        for kernel, _, label, parameter in arrays:
            name = text(label) or self._parameter(text(kernel), parameter)
            names.append(name if text(label) or name not in labels else f"{name} (new)")
        return names

    def _parameter(self, kernel: str, number: int) -> str:
        """The name of a kernel's parameter; "new tensor" if the source does not show it."""
        parameters = self._parameters(kernel.rpartition("::")[2])
        return (parameters[number].name if 0 <= number < len(parameters) else "") or "new tensor"

    def reported(self, runtime: ctypes.CDLL) -> list[Report]:
        """What the runtime reports about the last call, with lines for the addresses of code."""
        reports = reported(runtime)
        return [
            dataclasses.replace(
                report,
                places=tuple(
                    dataclasses.replace(place, line=place.line or line_at(place.code)) for place in report.places
                ),
            )
            for report in reports
        ]


def _launches(runtime: ctypes.CDLL) -> list[tuple[int, ...]]:
    return rows(runtime.emulator_launched, 28)


def _is_whole(launch: tuple[int, ...]) -> bool:
    """Whether all blocks of a launch ran, and not only a sample."""
    return launch[7] == math.prod(launch[1:4])


def _layouts(runtime: ctypes.CDLL, arrays: Sequence[tuple[int, ...]], names: Sequence[str]) -> dict[str, Layout]:
    """The layouts of the tensors among these arrays. A name of several tensors is left out if their layouts differ."""
    dimensions = collections.defaultdict(list)
    for begin, *dimension in rows(runtime.emulator_layouts, 5):
        dimensions[begin].append(dimension)
    found = collections.defaultdict(set)
    for (_, begin, _, _), name in zip(arrays, names, strict=True):
        if begin in dimensions:
            itemsizes, starts, shape, strides = zip(*dimensions[begin], strict=True)
            found[name].add(Layout(shape, strides, itemsizes[0], starts[0]))
    return {name: layouts.pop() for name, layouts in found.items() if len(layouts) == 1}
