"""Turns CUDA source into C++ that clang compiles against the emulator's headers.

Only a few things must be translated, since macros do the rest. `kernel<<<grid, block>>>(arguments)` becomes a call,
`extern __shared__ T x[]` becomes a pointer, `static __shared__` loses its `static`, `__shared__ alignas(16)` swaps its
words, `cudaLaunchKernel` gets the kernel's name and its address without a cast, `__noinline__` is removed, and inline
PTX becomes calls (ptx.py). Lines keep their numbers. What nvcc would refuse but clang would accept (a kernel called
like a function, host code called from a kernel) is refused here.
"""

import bisect
import itertools
import re
from collections.abc import Iterator

from course.errors import BuildError, NotEmulated
from course.text.cuda import CudaText, line_of, with_line
from course.text.syntax import Declared, Launch, Part, within
from course.toolchains.compiler import unreadable
from course.toolchains.emulator.nvcc_rules import not_emulated, refused_by_nvcc
from course.toolchains.emulator.ptx import in_cpp

_NESTED = 20  # launches in each other's arguments

# A piece of the source, from one offset to another, and what to write in its place.
Edit = tuple[int, int, str]


def translate(source: str) -> str:
    """The C++ text of a CUDA source. Raises BuildError for what nvcc would refuse but clang would not."""
    try:
        return _translated(source)
    except BuildError:
        if problem := unreadable(source):  # the other errors follow from it
            raise BuildError(problem) from None
        raise


def _translated(source: str) -> str:
    cuda = CudaText.of(source)
    for refusals, kind in ((refused_by_nvcc(cuda), BuildError), (not_emulated(cuda), NotEmulated)):
        if first := min(refusals, default=None):
            raise _refusal(source, *first, kind)
    launched = {launch.angles[0] for launch in cuda.syntax.launches}
    for angles in re.finditer("<<<", cuda.blank):
        if angles.start() not in launched and not cuda.undecided_until(angles.start()):
            raise _refusal(
                source,
                angles.start(),
                "a kernel launch has the form kernel<<<grid, block>>>(arguments); here '<<<' is not followed by '>>>' "
                "and its arguments in parentheses",
            )
    translation = _Translation(cuda)
    return translation.of(0, len(source), translation.edits)


def _refusal(source: str, offset: int, why: str, kind: type[BuildError] = BuildError) -> BuildError:
    line = line_of(source, offset)
    return kind(with_line(source, line, why), lines=((line, why),))


def _specifiers(cuda: CudaText) -> Iterator[Edit]:
    for found in cuda.syntax.specifiers:
        # Not a macro, since headers of the C++ library may contain __attribute__((__noinline__)).
        if inline := found.get("__noinline__"):
            yield inline.begin, inline.end, ""
        if not (shared := found.get("__shared__")):
            continue
        # `__shared__` becomes `static`, which must not be there twice, and before which clang wants `alignas`.
        if static := found.get("static"):
            yield static.begin, static.end, ""
        if (alignment := found.get("alignas")) and shared.begin < alignment.begin:
            text = cuda.source[alignment.begin : alignment.end]
            yield shared.begin, shared.begin, f"{' '.join(text.split())} "
            yield alignment.begin, alignment.end, _line_breaks(text)


def _dynamic_shared(cuda: CudaText) -> Iterator[Edit]:
    """The pointers that replace the declarations of dynamic shared memory, by statement."""
    kinds: dict[str, str] = {}
    outside: set[str] = set()  # the names that are declared outside of all braces
    dynamic = (
        each for each in cuda.syntax.declared if {"extern", "__shared__"} <= each.words and each.sizes[:1] == ("",)
    )
    for _, declarations in itertools.groupby(dynamic, key=lambda each: each.statement):
        pointers = []
        for each in declarations:
            undecided = cuda.undecided_until(each.begin)
            volatile = "volatile " if "volatile" in each.words else ""
            kind = volatile + each.type + "*" * each.pointers
            depends = undecided or cuda.syntax.type_parameters & set(re.findall(r"\w+", kind))
            if not depends and kinds.setdefault(each.name, kind) != kind:
                raise _refusal(
                    cuda.source,
                    each.statement.begin,
                    f"'extern __shared__ {kind} {each.name}[]' has another type than the '{each.name}' before it "
                    f"({kinds[each.name]}): both arrays are the same memory, so give one of them another name",
                )
            in_function = cuda.syntax.function_at(each.begin) is not None
            if in_function or each.nested or undecided or each.name not in outside:
                pointers.append(_pointer(each, kind, in_function))
            if not (in_function or each.nested or undecided):
                outside.add(each.name)
        text = cuda.source[each.statement.begin : each.statement.end]
        ends = ";" if text.endswith(";") and pointers else ""
        yield each.statement.begin, each.statement.end, f"{'; '.join(pointers)}{ends}{_line_breaks(text)}"


def _pointer(array: Declared, kind: str, in_function: bool) -> str:
    """The definition of a pointer in place of an array of dynamic shared memory."""
    inner = "".join(f"[{size}]" for size in array.sizes[1:])  # the sizes of an array of arrays
    declared = f"{kind} (* const {array.name}){inner}" if inner else f"{kind}* const {array.name}"
    pointer = f"{kind} (*){inner}" if inner else f"{kind}*"
    # Outside of a function, a constant: the tracer would take a read of any other variable for the kernel's.
    memory = f'dynamic_shared("{array.name}")' if in_function else "shared_memory"
    return f"{declared} = reinterpret_cast<{pointer}>(::emulator::{memory})"


def _calls(cuda: CudaText) -> Iterator[Edit]:
    """Inline PTX, and cudaLaunchKernel, which takes a kernel cast to void*, without its parameters' types."""
    for call in cuda.syntax.calls:
        if text := in_cpp(call):
            yield call.begin, call.end, text + _line_breaks(cuda.source[call.begin : call.end])
        if call.function == "cudaLaunchKernel" and len(call.arguments) > 1 and call.passed:
            name, end = call.passed.text, call.arguments[0].end
            label = name.partition("<")[0]
            begin = f'::emulator::launch_kernel("{label}", {name}'
            yield call.begin, end, begin + _line_breaks(cuda.source[call.begin : end])


class _Translation:
    """A source with its edits and its rewritten launches, which can be nested."""

    def __init__(self, cuda: CudaText):
        self.cuda = cuda
        self.edits = sorted([*_specifiers(cuda), *_dynamic_shared(cuda), *_calls(cuda)])
        # A null pointer constant must not become an integer on its way to the kernel.
        nulls = ((each.begin, each.end, "nullptr") for each in cuda.syntax.names if each.text == "NULL")
        self.in_arguments = sorted([*self.edits, *nulls])
        # Only an opt-in to more shared memory needs the kernel's address, under which the opt-in is kept.
        self.opts_in = "cudaFuncSetAttribute" in cuda.blank

    def of(self, begin: int, end: int, edits: list[Edit], depth: int = 0) -> str:
        """The C++ text of the source from `begin` to `end`, inside of `depth` launches."""
        pieces: list[str] = []
        for launch in within(self.cuda.syntax.launches, Part(begin, end, self.cuda.source)):
            if launch.begin >= begin:  # else it is inside of the launch before it
                pieces += [self._edited(begin, launch.begin, edits), self._call(launch, depth)]
                begin = launch.end
        return "".join((*pieces, self._edited(begin, end, edits)))

    def _edited(self, begin: int, end: int, edits: list[Edit]) -> str:
        pieces = []
        for index in range(bisect.bisect_left(edits, (begin,)), bisect.bisect_left(edits, (end,))):
            start, stop, text = edits[index]
            if begin <= start and stop <= end:  # else it is inside the previous edit
                pieces += [self.cuda.source[begin:start], text]
                begin = stop
        return "".join((*pieces, self.cuda.source[begin:end]))

    def _call(self, launch: Launch, depth: int) -> str:
        """The C++ text of a launch inside of `depth` launches."""
        source, (config, closed), (opened, close) = self.cuda.source, launch.angles, launch.parentheses
        if depth == _NESTED:
            raise _refusal(source, config, f"more than {_NESTED} launches are in each other's arguments")
        address = self._address(launch) if self.opts_in else "nullptr"
        arguments = self.of(opened + 1, close, self.in_arguments, depth + 1)
        label = '"' + launch.kernel.text.partition("<")[0].replace('"', "") + '"'
        call = f"[=](auto&... emulator_arguments) {{ {launch.kernel.text}(emulator_arguments...); }}"
        return (
            f"{_line_breaks(source[launch.begin : config])}::emulator::Launch({label}, {address}, "
            f"::emulator::Config({self.of(config + 3, closed, self.edits, depth + 1)}))"
            f"{_line_breaks(source[closed:opened])}({call}{', ' * bool(launch.arguments)}{arguments})"
        )

    def _address(self, launch: Launch) -> str:
        """The address of a kernel; an overloaded kernel, or one with deduced template arguments, has none."""
        same = [function for function in self.cuda.functions if function.name == launch.name]
        deduced = not launch.kernel.text.endswith(">") and any("template" in each.qualifiers for each in same)
        if len(same) > 1 or deduced:
            return "::emulator::any_kernel()"
        return f"reinterpret_cast<const void*>({launch.kernel.text})"


def _line_breaks(text: str) -> str:
    """The line breaks of `text`, in a macro with their backslashes."""
    return "".join(re.findall(r"\\?\n", text))
