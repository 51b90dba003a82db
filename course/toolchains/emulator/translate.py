"""Turns CUDA source into C++ that g++ compiles against the emulator's headers.

Only a few things must be translated, since macros do the rest. `kernel<<<grid, block>>>(arguments)` becomes a call,
`extern __shared__ T x[]` becomes a pointer, `static __shared__` loses its `static`, `__shared__ alignas(16)` swaps its
words, `cudaLaunchKernel` gets the kernel's name and its address without a cast, and `__noinline__` is removed. Lines
keep their numbers. What nvcc would refuse but g++ would accept (a kernel called like a function, host code called from
a kernel) is refused here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from course.errors import BuildError, NotEmulated
from course.toolchains.cuda_text import CudaText, line_of, matching, opening, with_line
from course.toolchains.emulator.not_emulated import not_emulated
from course.toolchains.emulator.nvcc_rules import refused_by_nvcc
from course.toolchains.hints import unreadable

_ALIGNMENT = r"(?:__align__|alignas)\s*\([^()]*(?:\([^()]*\))?[^()]*\)"
_DYNAMIC_SHARED = re.compile(
    rf"\b(?:extern\s+(?:volatile\s+)?__shared__|__shared__\s+extern)\s+(?P<type>(?:{_ALIGNMENT}|[^;{{}}()=\[])*?)"
    r"\b(?P<name>\w+)\s*\[\s*\](?P<rest>[^;]*);"
)
# Not a macro, since libstdc++ of g++ 13 and newer itself contains __attribute__((__noinline__)).
_NO_INLINE = re.compile(r"(?<![(:\w])__noinline__\b")
# The translation of `__shared__` is already static.
_STATIC_SHARED = re.compile(r"\bstatic\b(?=\s+(?:volatile\s+)?__shared__)|(?<=__shared__) +static\b")
# g++ accepts `alignas` before the translation of `__shared__`, not after it.
_ALIGNED_SHARED = re.compile(rf"\b__shared__(?: +static\b)?(?P<blanks>\s+)(?P<alignment>{_ALIGNMENT})")
# The first argument of cudaLaunchKernel: the kernel, cast to void*, which loses the types of its parameters.
_LAUNCH_FUNCTION = re.compile(
    r"\bcudaLaunchKernel\s*\(\s*(?:\(\s*(?:const\s+)?void\s*\*\s*\)\s*"
    r"|(?P<cast>reinterpret_cast\s*<\s*(?:const\s+)?void\s*\*\s*>\s*\(\s*))?&?\s*(?P<name>[\w:]+(?:\s*<[^;(]*>)?)"
    r"(?(cast)\s*\))\s*(?=,)"
)
# The name of a kernel: an identifier, qualified or not, or a member.
_NAME = re.compile(
    r"(?:::\s*)?(?:(?!return\b)[A-Za-z_]\w*\s*(?:::|\.|->)\s*)*(?:template\s+)?(?!return\b)\b[A-Za-z_]\w*\s*$"
)


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
    if refused := sorted(refused_by_nvcc(cuda)):
        raise _refusal(source, *refused[0])
    if missing := sorted(not_emulated(cuda)):
        raise _refusal(source, *missing[0], NotEmulated)
    edits = [
        *((match.start(), match.end(), _launch_function(match)) for match in _LAUNCH_FUNCTION.finditer(source)),
        *((match.start(), match.end(), "") for match in _NO_INLINE.finditer(source)),
        *((match.start(), match.end(), "") for match in _STATIC_SHARED.finditer(source)),
        *((match.start(), match.end(), _aligned_shared(match)) for match in _ALIGNED_SHARED.finditer(source)),
        *_dynamic_shared(cuda),
    ]
    return _Translation(cuda, edits).of(0, len(source))


def _refusal(source: str, offset: int, why: str, kind: type[BuildError] = BuildError) -> BuildError:
    line = line_of(source, offset)
    return kind(with_line(source, line, why), lines=((line, why),))


def _aligned_shared(match: re.Match[str]) -> str:
    return f"{match['alignment']}{match['blanks']}__shared__"


def _dynamic_shared(cuda: CudaText) -> Iterator[Edit]:
    parameters = set(re.findall(r"\b(?:typename|class)\s+(\w+)", cuda.source))
    kinds: dict[str, str] = {}
    for match in _DYNAMIC_SHARED.finditer(cuda.blank):
        kind, name = " ".join(re.sub(_ALIGNMENT, " ", match["type"]).split()), match["name"]
        if not parameters & set(re.findall(r"\w+", kind)) and kinds.setdefault(name, kind) != kind:
            raise _refusal(
                cuda.source,
                match.start(),
                f"'extern __shared__ {kind} {name}[]' has another type than the '{name}' before it ({kinds[name]}): "
                "both arrays are the same memory, so give one of them another name",
            )
        rest = match["rest"].strip()  # the inner sizes of an array of arrays
        declared = f"{kind} (* const {name}){rest}" if rest else f"{kind}* const {name}"
        pointer = f"{kind} (*){rest}" if rest else f"{kind}*"
        text = f'{declared} = reinterpret_cast<{pointer}>(::emulator::dynamic_shared("{name}"));'
        yield match.start(), match.end(), text + _line_breaks(match[0])


def _launch_function(match: re.Match[str]) -> str:
    name = " ".join(match["name"].split())
    return f'::emulator::launch_kernel("{re.sub(r"<.*", "", name)}", {name}{_line_breaks(match[0])}'


class _Translation:
    """A source with its edits and its rewritten launches, which can be nested."""

    def __init__(self, cuda: CudaText, edits: Iterable[Edit]):
        self.cuda, self.edits = cuda, sorted(edits)
        # Only an opt-in to more shared memory needs the kernel's address, under which the opt-in is kept.
        self.opts_in = "cudaFuncSetAttribute" in cuda.source

    def of(self, begin: int, end: int) -> str:
        """The C++ text of the source from `begin` to `end`."""
        pieces: list[str] = []
        while (start := self.cuda.blank.find("<<<", begin, end)) >= 0:
            callee, close, call = self._launch(start, begin, end)
            pieces += [self._edited(begin, callee), call]
            begin = close + 1
        return "".join((*pieces, self._edited(begin, end)))

    def _edited(self, begin: int, end: int) -> str:
        pieces = []
        for start, stop, text in self.edits:
            if begin <= start and stop <= end:  # else it is elsewhere, or inside the previous edit
                pieces += [self.cuda.source[begin:start], text]
                begin = stop
        return "".join((*pieces, self.cuda.source[begin:end]))

    def _launch(self, start: int, first: int, limit: int) -> tuple[int, int, str]:
        """Where the launch whose `<<<` is at `start` begins, where its last parenthesis is, and its C++ text.

        The launch must lie between `first` and `limit`.
        """
        source, blank = self.cuda.source, self.cuda.blank
        callee = _callee_start(blank, start)
        end = _end_of_config(blank, start + 3)
        open_ = blank.find("(", end + 3) if end > 0 else -1
        close = matching(blank, open_) if open_ > 0 and not blank[end + 3 : open_].strip() else -1
        if not first <= callee < start < close < limit:
            raise _refusal(
                source,
                start,
                "a kernel launch has the form kernel<<<grid, block>>>(arguments); here '<<<' is not followed by '>>>' "
                "and its arguments in parentheses",
            )
        name = " ".join(self.cuda.without_comments[callee:start].split())
        # A null pointer constant must not become an integer on its way to the kernel.
        arguments = re.sub(r"\bNULL\b", "nullptr", self.of(open_ + 1, close))
        comma = ", " if blank[open_ + 1 : close].strip() else ""
        address = self._address(name) if self.opts_in else "nullptr"
        call = (
            f"{_line_breaks(source[callee:start])}::emulator::Launch({self._label(name, callee)}, {address}, "
            f"::emulator::Config({self.of(start + 3, end)})){_line_breaks(source[end:open_])}"
            f"([=](auto&... emulator_arguments) {{ {name}(emulator_arguments...); }}{comma}{arguments})"
        )
        return callee, close, call

    def _label(self, name: str, callee: int) -> str:
        """The name of a kernel in a report: its text, or, for a pointer, the kernel to which it then points.

        `callee` is the offset of the name in the source.
        """
        label = '"' + re.sub(r"<.*", "", name).replace('"', "") + '"'
        variable = re.split(r"\W", name, maxsplit=1)[0]
        if not variable or not re.search(rf"\b{variable}\s*=(?!=)|\*\s*(?:const\s+)?{variable}\b", self.cuda.blank):
            return label
        names = [function.name for function in self.cuda.functions]
        if variable in names:
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
        same = [function for function in self.cuda.functions if function.name == re.split(r"\W+", name)[-1]]
        if len(same) > 1 or any("template" in function.qualifiers for function in same):
            return "::emulator::any_kernel()"
        return f"reinterpret_cast<const void*>({name})"


def _line_breaks(text: str) -> str:
    """The line breaks of `text`, in a macro with their backslashes."""
    return "".join(re.findall(r"\\?\n", text))


def _callee_start(text: str, end: int) -> int:
    """Where the expression before `<<<` begins: a name with or without template arguments, a member, an element, or a
    parenthesis. `end` if there is none.
    """
    offset = len(text[:end].rstrip())
    if offset and text[offset - 1] == ">":
        offset = len(text[: opening(text, offset - 1)].rstrip())
    while offset and text[offset - 1] == "]":
        offset = opening(text, offset - 1)
    if offset and text[offset - 1] == ")":
        offset = opening(text, offset - 1)
        if not re.match(r"\w", text[offset - 1 : offset]):
            return offset
    match = _NAME.search(text[:offset])
    return match.start() if match else end


def _end_of_config(text: str, start: int) -> int:
    offset = start
    while 0 <= offset < len(text):
        if text[offset] in "([{":
            offset = matching(text, offset)
            if offset < 0:
                return -1
        elif text.startswith(">>>", offset):
            return offset
        offset += 1
    return -1
