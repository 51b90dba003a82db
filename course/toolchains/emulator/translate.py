"""Turns CUDA source into C++ that g++ compiles against the emulator's headers.

Few things need it, the rest are macros: `kernel<<<grid, block>>>(arguments)` becomes a call,
`extern __shared__ T x[]` becomes a pointer, `static __shared__` loses its `static`, `__shared__ alignas(16)` swaps its
words, `cudaLaunchKernel` gets the kernel's name and its address without a cast, and `__noinline__` goes. Lines stay
where they are. What nvcc would refuse and g++ cannot see (a kernel called like a function, host code called from a
kernel) is refused here.
"""

from __future__ import annotations

import re

from course.errors import BuildError
from course.toolchains.cuda_text import FunctionText, blank, functions, line_of, matching, opening, without_comments
from course.toolchains.emulator.refusals import refuse_what_nvcc_refuses

_ALIGNMENT = r"(?:__align__|alignas)\s*\([^()]*(?:\([^()]*\))?[^()]*\)"
_DYNAMIC_SHARED = re.compile(
    rf"\b(?:extern\s+(?:volatile\s+)?__shared__|__shared__\s+extern)\s+(?P<type>(?:{_ALIGNMENT}|[^;{{}}()=\[])*?)"
    r"\b(?P<name>\w+)\s*\[\s*\](?P<rest>[^;]*);"
)
# No macro, since libstdc++ from g++ 13 on writes __attribute__((__noinline__)) itself.
_NO_INLINE = re.compile(r"(?<![(:\w])__noinline__\b")
# What `__shared__` becomes is static already.
_STATIC_SHARED = re.compile(r"\bstatic\b(?=\s+(?:volatile\s+)?__shared__)|(?<=__shared__) +static\b")
# g++ takes `alignas` before what `__shared__` becomes, not after it.
_ALIGNED_SHARED = re.compile(rf"\b__shared__(\s+)({_ALIGNMENT})")
# The first argument of cudaLaunchKernel: the kernel, cast to void*, which loses the types of its parameters.
_LAUNCH_FUNCTION = re.compile(
    r"\bcudaLaunchKernel\s*\(\s*(?:\(\s*(?:const\s+)?void\s*\*\s*\)\s*"
    r"|(?P<cast>reinterpret_cast\s*<\s*(?:const\s+)?void\s*\*\s*>\s*\(\s*))?&?\s*(?P<name>[\w:]+(?:\s*<[^;(]*>)?)"
    r"(?(cast)\s*\))\s*(?=,)"
)
# What names a kernel: an identifier, qualified or not, a member.
_NAME = re.compile(
    r"(?:::\s*)?(?:(?!return\b)[A-Za-z_]\w*\s*(?:::|\.|->)\s*)*(?:template\s+)?(?!return\b)\b[A-Za-z_]\w*\s*$"
)


def translate(source: str) -> str:
    """The C++ text of a CUDA source. Raises BuildError where nvcc would refuse what g++ would not."""
    refuse_what_nvcc_refuses(source)
    source = _LAUNCH_FUNCTION.sub(_launch_function, source)
    source = _STATIC_SHARED.sub("", _NO_INLINE.sub("", source))
    return _rewrite_launches(_ALIGNED_SHARED.sub(r"\2\1__shared__", _rewrite_dynamic_shared(source)))


def _rewrite_dynamic_shared(source: str) -> str:
    pieces, last = [], 0
    parameters = set(re.findall(r"\b(?:typename|class)\s+(\w+)", source))
    kinds: dict[str, str] = {}
    for match in _DYNAMIC_SHARED.finditer(blank(source)):
        kind, name = " ".join(re.sub(_ALIGNMENT, " ", match["type"]).split()), match["name"]
        if not parameters & set(re.findall(r"\w+", kind)) and kinds.setdefault(name, kind) != kind:
            raise BuildError(
                f"line {line_of(source, match.start())}: 'extern __shared__ {kind} {name}[]' has another type than the"
                f" '{name}' before it ({kinds[name]}): both name the same memory, so give one another name"
            )
        rest = match["rest"].strip()  # of an array of arrays: its inner sizes
        declared = f"{kind} (* const {name}){rest}" if rest else f"{kind}* const {name}"
        pointer = f"{kind} (*){rest}" if rest else f"{kind}*"
        text = f'{declared} = reinterpret_cast<{pointer}>(::emulator::dynamic_shared("{name}"));'
        pieces += [source[last : match.start()], text, _line_breaks(match[0])]
        last = match.end()
    return "".join(pieces) + source[last:]


def _launch_function(match: re.Match[str]) -> str:
    name = " ".join(match["name"].split())
    return f'::emulator::launch_kernel("{re.sub(r"<.*", "", name)}", {name}{_line_breaks(match[0])}'


def _rewrite_launches(source: str) -> str:
    # Only an opt-in to more shared memory needs the kernel's address, by which it is kept.
    opts_in = "cudaFuncSetAttribute" in source
    defined = functions(source) if opts_in else []
    original = source
    while (start := (text := blank(source)).find("<<<")) >= 0:
        callee = _callee_start(text, start)
        end = _end_of_config(text, start + 3)
        open_ = text.find("(", end + 3) if end > 0 else -1
        close = matching(text, open_) if open_ > 0 and not text[end + 3 : open_].strip() else -1
        if close < 0 or callee == start:
            raise BuildError(
                f"line {line_of(source, start)}: a kernel launch reads kernel<<<grid, block>>>(arguments);"
                " here '<<<' is not followed by '>>>' and its arguments in parentheses"
            )
        name = " ".join(without_comments(source[callee:start]).split())
        # A null pointer constant must not become an integer on its way to the kernel.
        arguments = re.sub(r"\bNULL\b", "nullptr", source[open_ + 1 : close])
        comma = ", " if text[open_ + 1 : close].strip() else ""
        address = _address(name, defined) if opts_in else "nullptr"
        label = _label(name, callee, source, original)
        call = (
            f"{_line_breaks(source[callee:start])}::emulator::Launch({label}, {address}, "
            f"::emulator::Config({source[start + 3 : end]})){_line_breaks(source[end:open_])}"
            f"([=](auto&... emulator_arguments) {{ {name}(emulator_arguments...); }}{comma}{arguments})"
        )
        source = source[:callee] + call + source[close + 1 :]
    return source


def _label(name: str, callee: int, source: str, original: str) -> str:
    """What names a kernel in a report: its text, or through a pointer the kernel of `original` that it then holds.

    `callee` is where the name stands in `source`, whose lines are those of `original`.
    """
    label = '"' + re.sub(r"<.*", "", name).replace('"', "") + '"'
    variable = re.split(r"\W", name, maxsplit=1)[0]
    if not variable or not re.search(rf"\b{variable}\s*=(?!=)|\*\s*(?:const\s+)?{variable}\b", blank(original)):
        return label
    defined = functions(original)
    names = [function.name for function in defined]
    if variable in names:
        return label
    line = line_of(source, callee)
    held = [
        f'{{reinterpret_cast<const void*>({f.name}), "{f.name}"}}'
        for f in defined
        if "__global__" in f.qualifiers
        and not (f.nested or "template" in f.qualifiers or names.count(f.name) > 1)
        and line_of(original, f.start) < line
    ]
    return f"::emulator::kernel_name(reinterpret_cast<const void*>({name}), {label}, {{{', '.join(held)}}})"


def _address(name: str, defined: list[FunctionText]) -> str:
    """The address of a kernel; an overloaded one, and one whose template arguments are deduced, has none to be told."""
    same = [function for function in defined if function.name == re.split(r"\W+", name)[-1]]
    if len(same) > 1 or any("template" in function.qualifiers for function in same):
        return "::emulator::any_kernel()"
    return f"reinterpret_cast<const void*>({name})"


def _line_breaks(text: str) -> str:
    """The line breaks of `text`, those of a macro with their backslashes."""
    return "".join(re.findall(r"\\?\n", text))


def _callee_start(text: str, end: int) -> int:
    """Where the expression before `<<<` begins: a name with template arguments or without, a member, an element, a
    parenthesis. `end` where there is none.
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
