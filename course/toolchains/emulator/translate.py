"""Turns CUDA source into C++ that g++ compiles against the emulator's headers.

Only a few things must be translated, since macros do the rest. `kernel<<<grid, block>>>(arguments)` becomes a call,
`extern __shared__ T x[]` becomes a pointer, `static __shared__` loses its `static`, `__shared__ alignas(16)` swaps its
words, `cudaLaunchKernel` gets the kernel's name and its address without a cast, and `__noinline__` is removed. Lines
keep their numbers. What nvcc would refuse but g++ would accept (a kernel called like a function, host code called from
a kernel) is refused here.
"""

from __future__ import annotations

import bisect
import functools
import re
from collections.abc import Iterable, Iterator

from course.errors import BuildError, NotEmulated
from course.toolchains.compiler import unreadable
from course.toolchains.cuda_text import CudaText, line_of, matching, opening, rstripped, with_line
from course.toolchains.emulator.not_emulated import not_emulated
from course.toolchains.emulator.nvcc_rules import refused_by_nvcc

_ALIGNMENT = r"(?:__align__|alignas)\s*\([^()]*+(?:\([^()]*+\)[^()]*+)?\)"
_DYNAMIC_SHARED = re.compile(
    rf"\b(?:extern\s+(?:volatile\s+)?__shared__|__shared__\s+extern)\s+(?P<type>(?:{_ALIGNMENT}|[^;{{}}()=\[]){{0,400}}?)"
    r"\b(?P<name>\w+)\s*+\[\s*+\](?P<rest>[^;]{0,200});"
)
# Not a macro, since libstdc++ of g++ 13 and newer itself contains __attribute__((__noinline__)).
_NO_INLINE = re.compile(r"(?<![(:\w])__noinline__\b")
# The translation of `__shared__` is already static.
_STATIC_SHARED = re.compile(r"\bstatic\b(?=\s+(?:volatile\s+)?__shared__)|(?<=__shared__) +static\b")
# g++ accepts `alignas` before the translation of `__shared__`, not after it.
_ALIGNED_SHARED = re.compile(rf"\b__shared__(?: +static\b)?(?P<blanks>\s+)(?P<alignment>{_ALIGNMENT})")
# The first argument of cudaLaunchKernel: the kernel, cast to void*, which loses the types of its parameters.
_LAUNCH_FUNCTION = re.compile(
    r"\bcudaLaunchKernel\s*\(\s*+(?:\(\s*(?:const\s+)?void\s*\*\s*\)\s*+"
    r"|(?P<cast>reinterpret_cast\s*<\s*(?:const\s+)?void\s*\*\s*>\s*\(\s*+))?&?\s*+(?P<name>[\w:]+(?:\s*<[^;(]{0,400}>)?)"
    r"(?(cast)\s*\))\s*(?=,)"
)
# The name of a kernel: an identifier, qualified or not, or a member.
_NAME = re.compile(
    r"(?:::\s*)?(?:(?!return\b)[A-Za-z_]\w*\s*(?:::|\.|->)\s*)*(?:template\s+)?(?!return\b)\b[A-Za-z_]\w*\s*$"
)
_BRACKET_OR_END = re.compile(r"[(\[{]|>>>")
_NAME_LENGTH, _CONFIG_LENGTH = 300, 2000  # characters
_MOST_FUNCTIONS = 100  # that are looked up when a kernel is launched through a pointer
_NESTED = 20  # launches in each other's arguments

# A piece of the source, from one offset to another, and what to write in its place.
Edit = tuple[int, int, str]


def translate(source: str) -> str:
    """The C++ text of a CUDA source. Raises BuildError for what nvcc would refuse but g++ would not."""
    try:
        return _translated(source)
    except BuildError:
        if problem := unreadable(source):  # the other errors follow from it
            raise BuildError(problem) from None
        raise


def _translated(source: str) -> str:
    cuda = CudaText.of(source)
    for refusals, kind in ((refused_by_nvcc(cuda), BuildError), (not_emulated(cuda), NotEmulated)):
        for offset, why in sorted(refusals):
            if not cuda.undecided_until(offset):
                raise _refusal(source, offset, why, kind)
    blank = cuda.blank
    edits = [
        *((match.start(), match.end(), _launch_function(match)) for match in _LAUNCH_FUNCTION.finditer(blank)),
        *((match.start(), match.end(), "") for match in _NO_INLINE.finditer(blank)),
        *((match.start(), match.end(), "") for match in _STATIC_SHARED.finditer(blank)),
        *((match.start(), match.end(), _aligned_shared(match)) for match in _ALIGNED_SHARED.finditer(blank)),
        *_dynamic_shared(cuda),
    ]
    translation = _Translation(cuda, edits)
    return translation.of(0, len(source), translation.edits)


def _refusal(source: str, offset: int, why: str, kind: type[BuildError] = BuildError) -> BuildError:
    line = line_of(source, offset)
    return kind(with_line(source, line, why), lines=((line, why),))


def _aligned_shared(match: re.Match[str]) -> str:
    return f"{match['alignment']}{match['blanks']}__shared__"


def _dynamic_shared(cuda: CudaText) -> Iterator[Edit]:
    parameters = set(re.findall(r"\b(?:typename|class)\s+(\w+)", cuda.blank))
    bodies = [(function.body_start, function.body_start + len(function.body)) for function in cuda.functions]
    kinds: dict[str, str] = {}
    declared_outside: set[str] = set()  # of all braces
    depth = last = 0
    for match in _DYNAMIC_SHARED.finditer(cuda.blank):
        kind, name = " ".join(re.sub(_ALIGNMENT, " ", match["type"]).split()), match["name"]
        depth += cuda.blank.count("{", last, match.start()) - cuda.blank.count("}", last, match.start())
        last, undecided = match.start(), cuda.undecided_until(match.start())
        depends = undecided or parameters & set(re.findall(r"\w+", kind))
        if not depends and kinds.setdefault(name, kind) != kind:
            raise _refusal(
                cuda.source,
                match.start(),
                f"'extern __shared__ {kind} {name}[]' has another type than the '{name}' before it ({kinds[name]}): "
                "both arrays are the same memory, so give one of them another name",
            )
        rest = match["rest"].strip()  # the inner sizes of an array of arrays
        declared = f"{kind} (* const {name}){rest}" if rest else f"{kind}* const {name}"
        pointer = f"{kind} (*){rest}" if rest else f"{kind}*"
        # Outside of a function, a constant: the tracer would take a read of any other variable for the kernel's.
        index = bisect.bisect(bodies, (match.start(),)) - 1
        in_function = index >= 0 and match.start() < bodies[index][1]
        memory = f'dynamic_shared("{name}")' if in_function else "shared_memory"
        text = f"{declared} = reinterpret_cast<{pointer}>(::emulator::{memory});"
        if depth == 0 and not undecided:
            text = "" if name in declared_outside else text
            declared_outside.add(name)
        yield match.start(), match.end(), text + _line_breaks(match[0])


def _launch_function(match: re.Match[str]) -> str:
    name = " ".join(match["name"].split())
    return f'::emulator::launch_kernel("{re.sub(r"<.*", "", name)}", {name}{_line_breaks(match[0])}'


class _Translation:
    """A source with its edits and its rewritten launches, which can be nested."""

    def __init__(self, cuda: CudaText, edits: Iterable[Edit]):
        self.cuda, self.edits = cuda, sorted(edits)
        # A null pointer constant must not become an integer on its way to the kernel.
        nulls = ((match.start(), match.end(), "nullptr") for match in re.finditer(r"\bNULL\b", cuda.blank))
        self.in_arguments = sorted([*self.edits, *nulls])
        # Only an opt-in to more shared memory needs the kernel's address, under which the opt-in is kept.
        self.opts_in = "cudaFuncSetAttribute" in cuda.blank

    def of(self, begin: int, end: int, edits: list[Edit], depth: int = 0) -> str:
        """The C++ text of the source from `begin` to `end`, inside of `depth` launches."""
        pieces: list[str] = []
        place = begin
        while (start := self.cuda.blank.find("<<<", place, end)) >= 0:
            if launch := self._launch(start, begin, end, depth):
                callee, close, call = launch
                pieces += [self._edited(begin, callee, edits), call]
                begin = place = close + 1
            else:
                place = self.cuda.undecided_until(start)
        return "".join((*pieces, self._edited(begin, end, edits)))

    def _edited(self, begin: int, end: int, edits: list[Edit]) -> str:
        pieces = []
        for index in range(bisect.bisect_left(edits, (begin,)), bisect.bisect_left(edits, (end,))):
            start, stop, text = edits[index]
            if begin <= start and stop <= end:  # else it is inside the previous edit
                pieces += [self.cuda.source[begin:start], text]
                begin = stop
        return "".join((*pieces, self.cuda.source[begin:end]))

    def _launch(self, start: int, first: int, limit: int, depth: int) -> tuple[int, int, str] | None:
        """Where the launch whose `<<<` is at `start` begins, where its last parenthesis is, and its C++ text.

        The launch must lie between `first` and `limit`. None if it is no launch, and a macro decides whether it is
        compiled.
        """
        source, blank = self.cuda.source, self.cuda.blank
        callee = _callee_start(blank, start, first)
        end = _end_of_config(blank, start + 3)
        open_ = blank.find("(", end + 3) if end > 0 else -1
        close = matching(blank, open_) if open_ > 0 and not blank[end + 3 : open_].strip() else -1
        if not first <= callee < start < close < limit:
            if self.cuda.undecided_until(start):
                return None
            raise _refusal(
                source,
                start,
                "a kernel launch has the form kernel<<<grid, block>>>(arguments); here '<<<' is not followed by '>>>' "
                "and its arguments in parentheses",
            )
        if depth == _NESTED:
            raise _refusal(source, start, f"more than {_NESTED} launches are in each other's arguments")
        name = " ".join(self.cuda.without_comments[callee:start].split())
        arguments = self.of(open_ + 1, close, self.in_arguments, depth + 1)
        comma = ", " if blank[open_ + 1 : close].strip() else ""
        address = self._address(name) if self.opts_in else "nullptr"
        call = (
            f"{_line_breaks(source[callee:start])}::emulator::Launch({self._label(name, callee)}, {address}, "
            f"::emulator::Config({self.of(start + 3, end, self.edits, depth + 1)})){_line_breaks(source[end:open_])}"
            f"([=](auto&... emulator_arguments) {{ {name}(emulator_arguments...); }}{comma}{arguments})"
        )
        return callee, close, call

    @functools.cached_property
    def _variables(self) -> set[str]:
        """The names that are set, or declared as pointers."""
        return set(re.findall(r"\b(\w+)\s*+=(?!=)", self.cuda.blank)) | set(
            re.findall(r"\*\s*+(?:const\s++)?(\w+)", self.cuda.blank)
        )

    def _label(self, name: str, callee: int) -> str:
        """The name of a kernel in a report: its text, or, for a pointer, the kernel to which it then points.

        `callee` is the offset of the name in the source.
        """
        label = '"' + re.sub(r"<.*", "", name).replace('"', "") + '"'
        variable = re.split(r"\W", name, maxsplit=1)[0]
        names = [function.name for function in self.cuda.functions]
        if variable not in self._variables or variable in names or len(names) > _MOST_FUNCTIONS:
            return label
        line = line_of(self.cuda.source, callee)
        held = [
            f'{{reinterpret_cast<const void*>({f.name}), "{f.name}"}}'
            for f in self.cuda.functions
            if "__global__" in f.qualifiers
            and not (f.nested or "template" in f.qualifiers or names.count(f.name) > 1)
            and line_of(self.cuda.source, f.start) < line
        ]
        return f"::emulator::kernel_name(reinterpret_cast<const void*>({name}), {label}, {{{', '.join(held)}}})"

    def _address(self, name: str) -> str:
        """The address of a kernel; an overloaded kernel, or one with deduced template arguments, has none."""
        last = re.split(r"\W+", name)[-1]
        same = [function for function in self.cuda.functions if function.name == last]
        if len(same) > 1 or any("template" in function.qualifiers for function in same):
            return "::emulator::any_kernel()"
        return f"reinterpret_cast<const void*>({name})"


def _line_breaks(text: str) -> str:
    """The line breaks of `text`, in a macro with their backslashes."""
    return "".join(re.findall(r"\\?\n", text))


def _callee_start(text: str, end: int, first: int) -> int:
    """Where the expression before `<<<` begins: a name with or without template arguments, a member, an element, or a
    parenthesis. It is not before `first`. `end` if there is none.
    """
    offset = rstripped(text, end)
    if offset and text[offset - 1] == ">":
        offset = rstripped(text, opening(text, offset - 1))
    while offset and text[offset - 1] == "]":
        offset = opening(text, offset - 1)
    if offset and text[offset - 1] == ")":
        offset = opening(text, offset - 1)
        if not re.match(r"\w", text[offset - 1 : offset]):
            return offset
    match = _NAME.search(text, max(first, offset - _NAME_LENGTH, 0), offset)
    return match.start() if match else end


def _end_of_config(text: str, start: int) -> int:
    offset, end = start, start + _CONFIG_LENGTH
    while match := _BRACKET_OR_END.search(text, offset, end):
        if match[0] == ">>>":
            return match.start()
        offset = matching(text, match.start()) + 1
        if offset == 0:
            break
    return -1
