"""What nvcc would refuse and g++ accepts.

A source is refused only if it is certainly wrong. If this depends on a macro, or a name has a second meaning, the
compiler decides.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from dataclasses import dataclass

from course.toolchains.cuda_text import CudaText, FunctionText

Refusal = tuple[int, str]  # where, as an offset in the source, and why

_NAME = r"(?<![\w.])(?<!->)(?<!::)(?P<name>[A-Za-z_]\w*+)"
_CALL = re.compile(_NAME + r"\s*+(?:<[\w\s,:]*+>\s*+)?\(")
_LAUNCH = re.compile(_NAME + r"\s*+(?:<[\w\s,:()+*/.-]*+>\s*+)?<<<")
_BEFORE_A_CALL = {"return", "else", "do", "case", "throw"}  # words; after any other word, a name is declared
_DEVICE_BUILTIN = re.compile(
    r"__syncthreads(?:_\w+)?|__syncwarp|__(?:shfl|ballot|any|all|match|reduce)\w*_sync|__activemask|__ldg"
    r"|atomic(?:Add|Sub|Min|Max|Exch|CAS|And|Or|Xor|Inc|Dec)"
)
_NOT_ON_THE_DEVICE = re.compile(
    r"\bthrow\b|\btry\b(?=\s*\{)|\bTORCH_CHECK\w*(?=\s*\()"
    r"|\bstd::(?:vector|string|cout|cerr|map|unordered_map|set|function|sort|shared_ptr|unique_ptr|to_string)\b"
)
_REMOVED = re.compile(r"(?<!\w)__(?P<name>shfl(?:_up|_down|_xor)?|ballot|any|all)\s*\(")  # with CUDA 9, for `_sync`
_INITIALISED_SHARED = re.compile(
    r"__shared__(?!\s+(?:struct|union)\b[^;(){}=]{0,200}\{)[^;(){}=]{0,400}+[={]"  # except a type that is defined there
)
_HOST_VARIABLE = re.compile(
    r"(?:static\s+|inline\s+)*(?:(?:unsigned|signed|short|long|int|float|double|char|bool|size_t|u?int\d+_t)\s+)+"
    r"(?P<name>\w+)\s*(?P<array>\[[^;]*\]\s*)?(?:=[^;]*|\{[^;]*)?"
)


@dataclass(frozen=True)
class _Sides:
    """The functions of a source, except those that depend on a macro, and on which side they run."""

    found: list[FunctionText]
    macros: set[str]

    @functools.cached_property
    def kernels(self) -> frozenset[FunctionText]:
        return frozenset(f for f in self.found if "__global__" in f.qualifiers)

    @functools.cached_property
    def device(self) -> frozenset[FunctionText]:
        return frozenset(f for f in self.found if "__device__" in f.qualifiers)

    @functools.cached_property
    def both(self) -> frozenset[FunctionText]:
        return frozenset(f for f in self.found if f.qualifiers & {"__host__", "constexpr"})

    @functools.cached_property
    def host(self) -> frozenset[FunctionText]:
        elsewhere = {"__global__", "__device__"}
        return frozenset(f for f in self.found if not f.qualifiers & elsewhere or "__host__" in f.qualifiers)

    def names_of(self, some: frozenset[FunctionText]) -> set[str]:
        """The names that only these functions have."""
        return {f.name for f in some} - {f.name for f in self.found if f not in some} - self.macros


def refused_by_nvcc(cuda: CudaText) -> Iterator[Refusal]:
    """What nvcc would refuse in a source: where, and why."""
    macros = {*cuda.macros, "C10_HOST_DEVICE", "C10_DEVICE"}
    macros |= {f.name for f in cuda.functions if f.undecided}
    sides = _Sides([f for f in cuda.functions if not (f.undecided or f.qualifiers & macros)], macros)
    yield from _wrong_launches(cuda.without_directives, sides)
    yield from _wrong_calls(sides)
    yield from _wrong_bodies(sides)
    yield from _host_variables(cuda.certain, sides)
    yield from _removed(cuda.blank, macros)


def _wrong_launches(text: str, sides: _Sides) -> Iterator[Refusal]:
    for kernel in sides.kernels:
        if "void" not in kernel.qualifiers:
            yield kernel.start, f"the kernel '{kernel.name}' must return void"
    declared = set(re.findall(r"__global__[^;{}]{0,400}?\b(\w+)\s*+\(", text))
    others = {f.name for f in sides.found} - {f.name for f in sides.kernels} - declared - sides.macros
    for match in _LAUNCH.finditer(text):
        if match["name"] in others:
            yield match.start(), f"'{match['name']}' is launched with <<<...>>> but is not declared __global__"
    for function in sides.found:
        if function not in sides.host and (launch := function.body.find("<<<")) >= 0:
            yield (
                function.body_start + launch,
                f"'{function.name}' runs on the device and launches a kernel there, which needs separate compilation:"
                " launch kernels from host functions",
            )


def _wrong_calls(sides: _Sides) -> Iterator[Refusal]:
    both = {f.name for f in sides.both}
    kernels, host, device = (sides.names_of(some) for some in (sides.kernels, sides.host, sides.device))
    interesting = kernels | host | device
    for function in sides.found:
        for called, offset in _calls(function, interesting):
            if called in kernels:
                yield (
                    offset,
                    f"the kernel '{called}' is called like a function; launch it: {called}<<<grid, block>>>(...)",
                )
            elif called in host - both and function not in sides.host:
                yield (
                    offset,
                    f"'{function.name}' runs on the device but calls '{called}', which is a host function:"
                    f" declare '{called}' __device__",
                )
            elif function not in sides.host or function in sides.both:
                continue
            elif called in device - both:
                yield (
                    offset,
                    f"'{function.name}' runs on the host but calls '{called}', which is a __device__ function:"
                    f" declare '{called}' __host__ __device__",
                )
            elif _DEVICE_BUILTIN.fullmatch(called) and called not in host:
                yield (
                    offset,
                    f"'{function.name}' runs on the host but calls {called}, which only device functions can call",
                )


def _wrong_bodies(sides: _Sides) -> Iterator[Refusal]:
    for function in sides.found:
        for match in _INITIALISED_SHARED.finditer(function.body):
            yield (
                function.body_start + match.start(),
                "a __shared__ variable cannot have an initial value: let a thread assign it, then call __syncthreads()",
            )
        if function in sides.host:
            if function not in sides.both and (at := function.body.find("__shared__")) >= 0:
                yield (
                    function.body_start + at,
                    f"'{function.name}' runs on the host, where there is no __shared__ memory:"
                    " if it is a kernel, write __global__ void",
                )
            continue
        tensors = set(re.findall(r"\bTensor\s*+&?\s*+(\w+)", function.parameters))
        for match in re.finditer(r"\b(\w+)\s*+[.\[]", function.body):
            if match[1] in tensors:
                yield (
                    function.body_start + match.start(),
                    f"'{function.name}' runs on the device, but '{match[1]}' is a tensor, whose members are host"
                    " functions: pass its pointer and its sizes",
                )
        for match in _NOT_ON_THE_DEVICE.finditer(function.body):
            yield (
                function.body_start + match.start(),
                f"'{function.name}' runs on the device, where {match[0]} cannot be used",
            )


def _removed(text: str, macros: set[str]) -> Iterator[Refusal]:
    for match in _REMOVED.finditer(text):
        if f"__{match['name']}" not in macros:
            yield (
                match.start(),
                f"CUDA has no __{match['name']} any more: use __{match['name']}_sync, with its mask first",
            )


def _host_variables(text: str, sides: _Sides) -> Iterator[Refusal]:
    """Uses of the host's variables in device functions; of constants, only arrays count."""
    on_host = {}
    for statement in _outside_of_braces(text).split(";"):
        declaration = re.sub(r"^\s*(?:static\s+)?(const|constexpr)\s+", "", statement)
        match = _HOST_VARIABLE.fullmatch(declaration.strip())
        if match and (match["array"] or len(declaration) == len(statement)):
            on_host[match["name"]] = (
                "an array of the host: declare it __constant__, or define it in the function"
                if match["array"]
                else "a variable of the host: pass it to the kernel, or declare it __constant__ or constexpr"
            )
    for function in sides.found:
        if function in sides.host:
            continue
        for match in re.finditer(_NAME + r"(?!\s*\()", function.body):
            if match["name"] in on_host and not _declares(function, match["name"]):
                yield (
                    function.body_start + match.start(),
                    f"'{function.name}' runs on the device, but '{match['name']}' is {on_host[match['name']]}",
                )


def _outside_of_braces(text: str) -> str:
    """The statements at file level. The body of a function or a class is left out and ends a statement."""
    kept, depth = [], 0
    for character in text:
        depth -= character == "}"
        kept.append(";" if character == "}" and depth == 0 else character if depth == 0 and character != "{" else "")
        depth += character == "{"
    return "".join(kept)


def _calls(function: FunctionText, interesting: set[str]) -> Iterator[tuple[str, int]]:
    """The calls of built-in functions and of `interesting` functions in `function`, with their offsets in the source.

    Names that `function` declares itself are left out.
    """
    for match in _CALL.finditer(function.body):
        name = match["name"]
        if not (name in interesting or _DEVICE_BUILTIN.fullmatch(name)) or _declares(function, name):
            continue
        before = re.search(r"(\w*)\s*$", function.body[max(0, match.start() - 100) : match.start()])
        if before and before[1] and before[1] not in _BEFORE_A_CALL:
            continue
        yield name, function.body_start + match.start()


def _declares(function: FunctionText, name: str) -> bool:
    return name in _declared(function.parameters, function.body)


@functools.lru_cache(maxsize=64)
def _declared(parameters: str, body: str) -> frozenset[str]:
    """All words of `parameters`, and the names that `body` declares."""
    found = re.findall(
        rf"\b(?!(?:{'|'.join(_BEFORE_A_CALL)})\b)\w++(?:<[^;{{}}]{{0,200}}>)?(?:\s++|\s*+[&*]\s*+(?=\w+\s*[={{;]))"
        r"(?=(\w+)\s*+[=({;,[])",
        body,
    )
    return frozenset(found) | frozenset(re.findall(r"\w+", parameters))
