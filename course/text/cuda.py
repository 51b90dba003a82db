"""CUDA source as text: what can be found out without a compiler, computed once per source.

All offsets and lines are those of the student's text: comments, literals and preprocessor lines are replaced by blanks.
"""

import bisect
import functools
import re
import textwrap

from course.text.conditions import Directive, Regions, Span, directives, regions, spaces, without
from course.text.reader import read
from course.text.syntax import Function, Syntax

# The preprocessor's view of a text, before any grammar. Each alternative takes all that it begins with, even without
# its end, so that no text is read twice.
_LEXED = re.compile(
    r"""(?P<comment>//(?:\\\n|[^\n])*+ | /\*.*?\*/) | /\*.*+
    | (?P<raw>(?<![\w"'])(?:u8|[uUL])?R"(?P<delimiter>[^()\\\s]{0,16})\((?:.*?\)(?P=delimiter)"|.*+))
    | (?P<literal>(?P<quote>["'])(?:\\.|(?!(?P=quote))[^\\\n])*+(?P=quote)) | ["'](?:\\.|[^\\\n])*+
    | (?<!\w)\.?\d(?:[eEpP][+-]|'\w|[\w.])*+""",
    re.VERBOSE | re.DOTALL,
)
CITED, QUOTED = 60, 200  # characters of a line within a sentence, and of a line shown below one
_MACRO = re.compile(r"[^\S\n]*(?P<name>\w+)(?:\([^()\n]*\))?")
_HEADER = re.compile(r"""[^\S\n]*(<[^<>\n]{1,200}>|"[^"\n]{1,200}")""")


class CudaText:
    """A source and what is found in it. `CudaText.of` returns one object for equal sources.

    All texts have the length and the line breaks of `source`.
    """

    def __init__(self, source: str):
        self.source = source

    @staticmethod
    @functools.lru_cache(maxsize=32)  # a build and the call after it use the same few texts several times
    def of(source: str) -> "CudaText":
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
        return regions(self._lexed[2], self._all_directives)

    @functools.cached_property
    def _all_directives(self) -> list[Directive]:
        return directives(self._lexed[2])

    @functools.cached_property
    def directives(self) -> list[Directive]:
        """The preprocessor lines that a compiler reads."""
        return [each for each in self._all_directives if not self.blank[each.begin : each.end].isspace()]

    @functools.cached_property
    def blank(self) -> str:
        """The source with blanks instead of comments, of the contents of literals, and of what no compiler reads."""
        return without(self._lexed[0], self.regions.ignored)

    @functools.cached_property
    def without_comments(self) -> str:
        """The source with blanks instead of comments and of what no compiler reads."""
        return without(self._lexed[1], self.regions.ignored)

    @functools.cached_property
    def lines(self) -> str:
        """`blank` with blanks instead of the line breaks in comments and literals, which end no preprocessor line."""
        return without(self._lexed[2], self.regions.ignored)

    @functools.cached_property
    def without_directives(self) -> str:
        """`blank` with blanks instead of preprocessor lines too."""
        return without(self.blank, [(each.begin, each.end) for each in self.directives])

    @functools.cached_property
    def certain(self) -> str:
        """`without_directives` with blanks instead of all that depends on a macro."""
        return without(self.without_directives, self.regions.undecided)

    @functools.cached_property
    def _unread(self) -> list[Span]:
        return sorted([*((each.begin, each.end) for each in self.directives), *self.regions.odd])

    @functools.cached_property
    def text(self) -> str:
        """`without_directives` without the branches in `regions.odd`: its brackets match as after the preprocessor."""
        return without(self.blank, self._unread)

    @functools.cached_property
    def parsed(self) -> str:
        """`text` without line breaks in literals."""
        return without(self.lines, self._unread)

    @functools.cached_property
    def code(self) -> str:
        """`text`, with the contents of literals."""
        return without(self.without_comments, self._unread)

    @functools.cached_property
    def certain_code(self) -> str:
        """`code` with blanks instead of all that depends on a macro."""
        return without(self.code, self.regions.undecided)

    def undecided_until(self, offset: int) -> int:
        """The end of the text around `offset` on which a macro decides; 0 if no macro does."""
        index = bisect.bisect(self.regions.undecided, (offset, len(self.source))) - 1
        end = self.regions.undecided[index][1] if index >= 0 else 0
        return end if end > offset else 0

    def is_certain(self, offset: int) -> bool:
        """Whether compilers read what is at `offset`, whatever macros there are. No macro's own text is certain."""
        return not self.certain[offset].isspace()

    @functools.cached_property
    def includes(self) -> list[tuple[str, int]]:
        """The headers that the source includes, as `<name>` or `"name"`, each with its offset."""
        included = (each.rest for each in self.directives if each.name == "include")
        found = (_HEADER.match(self.without_comments, rest) for rest in included)
        return [(match[1], match.start(1)) for match in found if match]

    @functools.cached_property
    def definitions(self) -> list[tuple[str, Span]]:
        """The macros that the source defines, and where the text of each is."""
        defined = (each for each in self.directives if each.name == "define")
        found = ((_MACRO.match(self.lines, each.rest), each.end) for each in defined)
        return [(match["name"], (match.end(), end)) for match, end in found if match]

    @functools.cached_property
    def syntax(self) -> Syntax:
        """What the source contains."""
        return read(self)

    @property
    def functions(self) -> list[Function]:
        """The functions defined in the source outside of any other function, in order."""
        return self.syntax.functions


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
