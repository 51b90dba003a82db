"""The `#if` regions of a source: what no compiler reads, and what a macro decides."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

Span = tuple[int, int]
Brackets = tuple[int, int]  # how many brackets of a text have their partner before it, and how many after it
# How likely it is that a compiler reads a text. `min`, `max` and `SURELY - x` are the logic of this.
NEVER, PERHAPS, SURELY = range(3)

_DIRECTIVE = re.compile(
    r"(?<!\\\n)^[^\S\n]*+(?:\#|%:)(?:[^\S\n]|\\\n)*+(?P<name>(?:\w|\\\n)*+)(?P<rest>(?:\\\n|[^\n])*+)", re.MULTILINE
)
_CONTINUED = "\\\n"
_IF = ("if", "ifdef", "ifndef")
_ELSE = ("else", "elif", "elifdef", "elifndef", "endif")
_CONSTANT = re.compile(r"(?P<not>!?) ?\(? ?(?P<value>true|false|\d[\w']*) ?\)?")
_ZERO = re.compile(r"0[xXbB]?[0']*[uUlLzZ]*")


@dataclass(frozen=True)
class Directive:
    """A preprocessor line: its name (the number of a `# 1 "file"`), and the offsets of its parts."""

    name: str
    begin: int
    rest: int  # what is after the name
    end: int


def directives(text: str) -> list[Directive]:
    """The preprocessor lines of a source, given as `regions` takes it."""
    return [
        Directive(match["name"].replace(_CONTINUED, ""), match.start(), match.start("rest"), match.end())
        for match in _DIRECTIVE.finditer(text)
    ]


@dataclass(frozen=True)
class Regions:
    """The parts of a text by `#if`, as pairs of offsets.

    `ignored` is what no compiler reads, with the directives that only constants decide, and `undecided` what depends on
    a macro. If the brackets of an undecided branch do not match and another branch can take its place, the branch is in
    `odd`: without these branches, brackets match as after the preprocessor. They do so too without all of `spare`.
    `open` is the offset of an `#if` without an `#endif`, -1 if there is none.
    """

    ignored: tuple[Span, ...]
    undecided: tuple[Span, ...]
    odd: tuple[Span, ...]
    spare: tuple[Span, ...]
    open: int


@dataclass
class _Branch:
    begin: int
    read: int  # given that the text around its group is read
    end: int = 0
    brackets: Brackets = (0, 0)


@dataclass
class _Group:
    around: int  # whether the text around it is read
    earlier: int = NEVER  # whether one of the conditions so far holds
    branches: list[_Branch] = field(default_factory=list)
    directives: list[Span] = field(default_factory=list)

    def odd(self) -> list[_Branch]:
        """The branches that are left out when brackets are matched."""
        read = [branch for branch in self.branches if branch.read]
        unequal = [branch for branch in read if branch.brackets != (0, 0)]
        # Without an #else, the group may be empty.
        if len(unequal) < len(read) or self.earlier < SURELY:
            return unequal
        kept = min(unequal, key=lambda branch: sum(branch.brackets), default=None)
        return [branch for branch in unequal if branch is not kept]


def regions(text: str, found: Sequence[Directive]) -> Regions:
    """The `#if` regions of a source with these directives.

    The text has blanks instead of comments and of the contents of literals, also instead of their line breaks, since
    they do not end a directive.
    """
    ignored: list[Span] = []
    undecided: list[Span] = []
    odd: list[Span] = []
    spare: list[Span] = []
    groups = [_Group(SURELY, branches=[_Branch(0, SURELY)])]
    words = re.search(r"\bdefine[\s\\]+(?:true|false)\b", text) is None
    last = 0

    def note(span: Span) -> bool:
        """Note a part of the innermost branch; whether it may be read."""
        read = min(groups[-1].around, groups[-1].branches[-1].read)
        if read < SURELY:
            (undecided if read else ignored).append(span)
        return read > NEVER

    def end_part(end: int) -> None:
        """Note what is between the last directive and `end`."""
        branch = groups[-1].branches[-1]
        if note((last, end)):
            branch.brackets = _joined(branch.brackets, brackets_in(text[last:end]))

    for each in found:
        name, group, span = each.name, groups[-1], (each.begin, each.end)
        end_part(each.begin)
        last = each.end
        if name in _IF:
            groups.append(_Group(min(group.around, group.branches[-1].read)))
            group = groups[-1]
        elif len(groups) == 1 or name not in _ELSE:
            note(span)
            continue
        group.directives.append(span)
        if group.branches:
            group.branches[-1].end = each.begin
        if name != "endif":
            holds = (
                SURELY
                if name == "else"
                else PERHAPS
                if name.endswith("def")
                else _value(text[each.rest : each.end], words)
            )
            group.branches.append(_Branch(each.end, min(holds, SURELY - group.earlier)))
            group.earlier = max(group.earlier, holds)
            continue
        groups.pop()
        left_out = group.odd()
        if group.around == NEVER or all(branch.read != PERHAPS for branch in group.branches):
            ignored += group.directives
            left_out = []
        odd += [(branch.begin, branch.end) for branch in left_out]
        kept = next((each for each in group.branches if each.read and each not in left_out), _Branch(0, NEVER))
        is_needed = kept.brackets != (0, 0) or kept.read == SURELY
        spare += [(each.begin, each.end) for each in group.branches if not (each is kept and is_needed)]
        around = groups[-1].branches[-1]
        around.brackets = _joined(around.brackets, kept.brackets)
    end_part(len(text))
    unclosed = groups[-1].directives[0][0] if len(groups) > 1 else -1
    return Regions(tuple(sorted(ignored)), tuple(undecided), tuple(sorted(odd)), tuple(sorted(spare)), unclosed)


def spaces(text: str) -> str:
    """Blanks instead of `text`, with its line breaks."""
    return re.sub(r"[^\n]", " ", text)


def without(text: str, spans: Iterable[Span]) -> str:
    """`text` with blanks in these spans, which are in order; spans may be inside others."""
    pieces, last = [], 0
    for begin, end in spans:
        if end > last:
            pieces += [text[last:begin], spaces(text[max(last, begin) : end])]
            last = end
    return "".join((*pieces, text[last:]))


def brackets_in(text: str) -> Brackets:
    found = (0, 0)
    for bracket in re.findall(r"[()\[\]{}]", text):
        found = _joined(found, (1, 0) if bracket in ")]}" else (0, 1))
    return found


def _joined(text: Brackets, after: Brackets) -> Brackets:
    met = min(text[1], after[0])
    return text[0] + after[0] - met, text[1] + after[1] - met


def _value(condition: str, words: bool) -> int:
    """Whether a condition holds: PERHAPS if it is more than a number, `true` or `false`, in parentheses or after `!`.

    `words` says that `true` and `false` have their usual meaning.
    """
    match = _CONSTANT.fullmatch(" ".join(condition.replace(_CONTINUED, " ").split()))
    if not match or not (words or match["value"][0].isdigit()):
        return PERHAPS
    is_false = match["value"] == "false" or _ZERO.fullmatch(match["value"]) is not None
    return NEVER if is_false != bool(match["not"]) else SURELY
