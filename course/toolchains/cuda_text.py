"""CUDA source as text: what can be found out without a compiler.

Everything here works on the source with comments and literals replaced by blanks, so that offsets and lines are those
of the student's text.
"""

from __future__ import annotations

import functools
import re
import textwrap
from dataclasses import dataclass

_BLANKED = re.compile(
    r"""//(?:\\\n|[^\n])* | /\*.*?\*/ | R"(?P<delimiter>[^()\\\s]{0,16})\(.*?\)(?P=delimiter)" """
    r""" | "(?:\\.|[^"\\\n])*" | (?<![0-9A-Za-z_])'(?:\\.|[^'\\\n])*' """,
    re.VERBOSE | re.DOTALL,
)
CITED, QUOTED = 60, 200  # characters of a line within a sentence, and of a line shown below one
_CLOSING = {"(": ")", "[": "]", "{": "}"}


def _spaces(text: str) -> str:
    return re.sub(r"[^\n]", " ", text)


def matching(text: str, start: int) -> int:
    """The offset of the bracket that closes the bracket at `start`; -1 if there is none."""
    depth: list[str] = []
    for offset in range(start, len(text)):
        character = text[offset]
        if character in _CLOSING:
            depth.append(_CLOSING[character])
        elif depth and character == depth[-1]:
            depth.pop()
            if not depth:
                return offset
    return -1


def opening(text: str, close: int) -> int:
    """The offset of the bracket that the bracket at `close` closes; 0 if there is none.

    `<` and `>` count as brackets outside of parentheses.
    """
    closing, depth, offset = text[close], 0, close
    while offset >= 0:
        character = text[offset]
        if character in ")]}" and offset != close:
            offset = opening(text, offset)
        elif character == closing:
            depth += 1
        elif character == {")": "(", "]": "[", "}": "{", ">": "<"}[closing]:
            depth -= 1
            if depth == 0:
                return offset
        offset -= 1
    return 0


@dataclass(frozen=True)
class FunctionText:
    """A function definition found in a source: its name, the text before the name, its parameters, its body.

    `after` is the text between the parameters and the body (`-> torch::Tensor`). `nested` says that the definition is
    in a namespace or a class. `start` and `body_start` are the offsets of the name and of the body.
    """

    name: str
    before: str
    parameters: str
    after: str
    body: str
    start: int
    body_start: int
    nested: bool

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


_HEAD = re.compile(r"([A-Za-z_]\w*)\s*\(")
_NOT_FUNCTIONS = {"if", "for", "while", "switch", "catch", "return", "sizeof", "alignas", "__align__",
                  "__launch_bounds__", "__attribute__", "decltype", "static_assert"}  # fmt: skip


_BODY = re.compile(r"\s*(?:(?:const|noexcept|override)\s*)*(->[^{;]*)?\{")


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
    def _without(self) -> tuple[str, str]:
        """`blank` and `without_comments`."""
        blank, code, last = [], [], 0
        for match in _BLANKED.finditer(self.source):
            text, between = match[0], self.source[last : match.start()]
            is_comment = text.startswith("/")
            inside = _spaces(text)
            quote = text[-1] if text[-1] in "\"'" and not is_comment else ""
            blank += [between, quote + inside[1:-1] + quote if quote else inside]
            code += [between, inside if is_comment else text]
            last = match.end()
        rest = self.source[last:]
        return "".join((*blank, rest)), "".join((*code, rest))

    @property
    def blank(self) -> str:
        """The source with blanks instead of comments and of the contents of literals."""
        return self._without[0]

    @property
    def without_comments(self) -> str:
        """The source with blanks instead of comments."""
        return self._without[1]

    @functools.cached_property
    def without_directives(self) -> str:
        """`blank` with blanks instead of preprocessor lines too."""
        return _without_directives(self.blank)

    @functools.cached_property
    def macros(self) -> frozenset[str]:
        """The names of the macros that the source defines."""
        return frozenset(re.findall(r"^[ \t]*#[ \t]*define[ \t]+(\w+)", self.blank, re.MULTILINE))

    @functools.cached_property
    def functions(self) -> tuple[FunctionText, ...]:
        """The functions defined in the source outside of any other function, in order."""
        text = _without_linkage_blocks(self.without_directives)
        code = _without_directives(self.without_comments)
        found: list[FunctionText] = []
        offset = depth = 0
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
            begin = max(code.rfind("}", 0, head.start()), *(text.rfind(mark, 0, head.start()) for mark in ";}{")) + 1
            before = re.sub(r"__launch_bounds__\s*\([^()]*(?:\([^()]*\)[^()]*)*\)", " ", code[begin : head.start()])
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
                )
            )
            offset = end + 1
        return tuple(found)


def _without_directives(text: str) -> str:
    return re.sub(r"^[ \t]*#(?:\\\n|[^\n])*", lambda match: _spaces(match[0]), text, flags=re.MULTILINE)


def _without_linkage_blocks(text: str) -> str:
    """`text` without the braces of `extern "C" { ... }`, which do not make a scope."""
    while block := re.search(r'extern\s*"\s*"\s*\{', text):
        close = matching(text, block.end() - 1)
        blanks = _spaces(block[0])
        text = text[: block.start()] + blanks + text[block.end() :]
        if close > 0:
            text = f"{text[:close]} {text[close + 1 :]}"
    return text


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
