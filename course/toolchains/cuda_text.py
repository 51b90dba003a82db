"""CUDA source as text: what can be found out without a compiler.

Everything here works on the source with comments and literals replaced by blanks, so that offsets and lines are those
of the student's text.
"""

from __future__ import annotations

import bisect
import functools
import re
import textwrap
from dataclasses import dataclass

from course.text.conditions import Regions, directives, regions, spaces, without

# Each alternative takes all that it begins with, even without its end, so that no text is read twice.
_LEXED = re.compile(
    r"""(?P<comment>//(?:\\\n|[^\n])*+ | /\*.*?\*/) | /\*.*+
    | (?P<raw>(?<!\w)(?:u8|[uUL])?R"(?P<delimiter>[^()\\\s]{0,16})\((?:.*?\)(?P=delimiter)"|.*+))
    | (?P<literal>(?P<quote>["'])(?:\\.|(?!(?P=quote))[^\\\n])*+(?P=quote)) | ["'](?:\\.|[^\\\n])*+
    | (?<!\w)\.?\d(?:[eEpP][+-]|'\w|[\w.])*+""",
    re.VERBOSE | re.DOTALL,
)
CITED, QUOTED = 60, 200  # characters of a line within a sentence, and of a line shown below one
_LONGEST_ARGUMENTS = 2000  # characters of a template's arguments
_CLOSING = {"(": ")", "[": "]", "{": "}"}


@functools.lru_cache(maxsize=8)
def _partners(text: str) -> dict[int, int]:
    """The offset of each bracket's partner; a closing bracket of another kind than the last open one has none."""
    found: dict[int, int] = {}
    open_: list[int] = []
    for match in re.finditer(r"[()\[\]{}]", text):
        if match[0] in _CLOSING:
            open_.append(match.start())
        elif open_ and _CLOSING[text[open_[-1]]] == match[0]:
            begin, end = open_.pop(), match.start()
            found[begin], found[end] = end, begin
    return found


def matching(text: str, start: int) -> int:
    """The offset of the bracket that closes the bracket at `start`; -1 if there is none."""
    return _partners(text).get(start, -1)


def opening(text: str, close: int) -> int:
    """The offset of the bracket that the bracket at `close` closes; 0 if there is none.

    `<` and `>` count as brackets outside of parentheses, within one statement.
    """
    if text[close] != ">":
        return _partners(text).get(close, 0)
    depth, offset = 0, close
    while offset > close - _LONGEST_ARGUMENTS and offset >= 0 and text[offset] not in ";{#":
        character = text[offset]
        depth += (character == ">") - (character == "<")
        if depth == 0:
            return offset
        offset = (opening(text, offset) if character in ")]}" else offset) - 1
    return 0


@dataclass(frozen=True)
class FunctionText:
    """A function definition found in a source: its name, the text before the name, its parameters, its body.

    `after` is the text between the parameters and the body (`-> torch::Tensor`). `nested` says that the definition is
    in a namespace or a class, `undecided` that the text before the body depends on an `#if` that a macro decides.
    `start` and `body_start` are the offsets of the name and of the body.
    """

    name: str
    before: str
    parameters: str
    after: str
    body: str
    start: int
    body_start: int
    nested: bool
    undecided: bool

    @property
    def qualifiers(self) -> set[str]:
        """The words before the name: `__global__`, `static`, `template`, the return type, ..."""
        return set(re.findall(r"\w+", self.before))

    @property
    def prototype(self) -> str:
        """The declaration for `cpp_sources`; default arguments stay in the definition."""
        return_type = " ".join(re.sub(r"\b(?:inline|__host__)\b", "", self.before).split())
        return f"{return_type} {self.name}({_without_defaults(self.parameters)}){self.after};"


def _without_defaults(parameters: str) -> str:
    kept, depth, in_default = "", 0, False
    for character in parameters:
        depth += (character in "([{<") - (character in ")]}>")
        if depth == 0 and character in "=,":
            in_default = character == "="
        if not in_default:
            kept += character
    return " ".join(kept.split())


_HEAD = re.compile(r"\b([A-Za-z_]\w*+)\s*+\(")
_NOT_FUNCTIONS = {"if", "for", "while", "switch", "catch", "return", "sizeof", "alignas", "__align__",
                  "__launch_bounds__", "__attribute__", "decltype", "static_assert"}  # fmt: skip


_BODY = re.compile(r"\s*+(?:(?:const|noexcept|override)\s*+)*(->[^{;]{0,400})?\{")


class CudaText:
    """A source and what is found in it. Everything is computed once, and `CudaText.of` returns one object for equal
    sources.

    All texts have the length and the line breaks of `source`.
    """

    def __init__(self, source: str):
        self.source = source

    @staticmethod
    @functools.lru_cache(maxsize=32)  # a build and the call after it use the same few texts several times
    def of(source: str) -> CudaText:
        return CudaText(source)

    @functools.cached_property
    def _lexed(self) -> tuple[str, str, str]:
        """`blank` and `without_comments`, still with the text that an `#if` leaves out, and what `regions` takes."""
        blank, code, lines, last = [], [], [], 0
        for match in _LEXED.finditer(self.source):
            if not (match["comment"] or match["raw"] or match["literal"]):
                continue
            text, between = match[0], self.source[last : match.start()]
            inside = spaces(text)
            quote = text[-1] if text[-1] in "\"'" and not match["comment"] else ""
            blank += [between, quote + inside[1:-1] + quote if quote else inside]
            code += [between, inside if match["comment"] else text]
            lines += [between, blank[-1].replace("\n", " ")]
            last = match.end()
        rest = self.source[last:]
        return "".join((*blank, rest)), "".join((*code, rest)), "".join((*lines, rest))

    @functools.cached_property
    def regions(self) -> Regions:
        """What an `#if` leaves out, and what a macro decides."""
        return regions(self._lexed[2], directives(self._lexed[2]))

    @functools.cached_property
    def blank(self) -> str:
        """The source with blanks instead of comments, of the contents of literals, and of what no compiler reads."""
        return without(self._lexed[0], self.regions.ignored)

    @functools.cached_property
    def without_comments(self) -> str:
        """The source with blanks instead of comments and of what no compiler reads."""
        return without(self._lexed[1], self.regions.ignored)

    @functools.cached_property
    def without_directives(self) -> str:
        """`blank` with blanks instead of preprocessor lines too."""
        return _without_directives(self.blank)

    @functools.cached_property
    def certain(self) -> str:
        """`without_directives` with blanks instead of all that depends on a macro."""
        return without(self.without_directives, self.regions.undecided)

    def undecided_until(self, offset: int) -> int:
        """The end of the text around `offset` on which a macro decides; 0 if no macro does."""
        index = bisect.bisect(self.regions.undecided, (offset, len(self.source))) - 1
        end = self.regions.undecided[index][1] if index >= 0 else 0
        return end if end > offset else 0

    @functools.cached_property
    def macros(self) -> frozenset[str]:
        """The names of the macros that the source defines."""
        return frozenset(re.findall(r"^[ \t]*#[ \t]*define[ \t]+(\w+)", self.blank, re.MULTILINE))

    @functools.cached_property
    def functions(self) -> tuple[FunctionText, ...]:
        """The functions defined in the source outside of any other function, in order."""
        text = _without_linkage_blocks(without(self.without_directives, self.regions.odd))
        code = without(_without_directives(self.without_comments), self.regions.odd)
        certain = without(code, self.regions.undecided)
        found: list[FunctionText] = []
        offset = depth = last = 0
        while head := _HEAD.search(text, offset):
            depth += text.count("{", offset, head.end()) - text.count("}", offset, head.end())
            offset = head.end()
            close = matching(text, head.end() - 1)
            if close < 0:
                break
            if head[1] in _NOT_FUNCTIONS:
                depth += text.count("{", offset, close + 1) - text.count("}", offset, close + 1)
                offset = close + 1
                continue
            brace = _BODY.match(text, close + 1)
            if not brace:
                continue
            end = matching(text, brace.end() - 1)
            if end < 0:
                break
            # The brace that ends a linkage block is blank in `text`.
            marks = [text.rfind(mark, last, head.start()) for mark in ";}{"]
            begin = max(last - 1, code.rfind("}", last, head.start()), *marks) + 1
            before = (code if self.undecided_until(head.start()) else certain)[begin : head.start()]
            before = re.sub(r"__launch_bounds__\s*\([^()]*(?:\([^()]*\)[^()]*)*\)", " ", before)
            found.append(
                FunctionText(
                    name=head[1],
                    before=" ".join(before.split()),
                    parameters=text[head.end() : close],
                    after=f" {brace[1].strip()}" if brace[1] else "",
                    body=text[brace.end() : end],
                    start=head.start(),
                    body_start=brace.end(),
                    nested=depth > 0,
                    undecided=self.certain[begin : brace.end()] != self.without_directives[begin : brace.end()],
                )
            )
            offset = last = end + 1
        return tuple(found)


def _without_directives(text: str) -> str:
    return re.sub(r"^[ \t]*#(?:\\\n|[^\n])*", lambda match: spaces(match[0]), text, flags=re.MULTILINE)


def _without_linkage_blocks(text: str) -> str:
    """`text` without the braces of `extern "C" { ... }`, which do not make a scope."""
    blocks = [block.span() for block in re.finditer(r'\bextern\s*+"\s*+"\s*+\{', text)]
    ends = [(close, close + 1) for _, end in blocks if (close := matching(text, end - 1)) > 0]
    return without(text, sorted([*blocks, *ends]))


def rstripped(text: str, end: int) -> int:
    """`end` without the blanks before it."""
    while end and text[end - 1].isspace():
        end -= 1
    return end


def line_of(source: str, offset: int) -> int:
    """The line of `offset`, counted from 1."""
    return source.count("\n", 0, offset) + 1


def cited(text: str, line: int) -> str:
    """The number of a line of `text` and, in parentheses, its code: "13 (`C[i] = A[i];`)"."""
    lines = text.split("\n")
    code = " ".join(lines[line - 1].split()) if 0 < line <= len(lines) else ""
    code = textwrap.shorten(code, CITED, placeholder=" …") if " " in code else code[:CITED]
    return f"{line} (`{code}`)" if code else str(line)


def with_line(source: str, line: int, text: str, file: str = "") -> str:
    """`text`, which is about a line of `source`, with the line's number before it and the line itself below.

    `file` names the source unless it is the cell's own.
    """
    lines = source.split("\n", line)  # as compilers count
    quoted = lines[line - 1].strip()[:QUOTED] if 0 < line <= len(lines) else ""
    return f"{file}{', ' * bool(file)}line {line}: {text}" + f"\n    {quoted}" * bool(quoted)
