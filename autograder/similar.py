"""Finds answers that have much in common: with each other, with the solution, and with the work of earlier years.

Answers are compared as passages of tokens, without comments, white space, names and numbers. What the released notebook
has is taken away, and so is what many students write. Statements in a row are put in one order. So a copy is found with
other names, in another order, or with a function's body in place of its call.
"""

import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import combinations, groupby
from pathlib import Path
from typing import NamedTuple

import nbformat
from pygments.lexers import CudaLexer, PythonLexer
from pygments.token import Comment, Name, Number, String, Whitespace

from autograder.cells import answers_in, cell_of, is_code
from autograder.files import write_whole
from autograder.grade import submissions
from autograder.gradebook import Course
from autograder.plugins.clear_solutions import ClearSolutions
from autograder.plugins.take_answers import read_submission, with_answers
from course.errors import CourseError
from course.html import render

TEMPLATES = Path(__file__).parent / "templates"
PASSAGE = 8  # tokens in a row
LONGEST = 20_000  # characters of an answer that are compared; the longest solution has a third of them
LEAST = 40  # tokens of an answer that are neither in the released notebook nor many's; a shorter one is not compared
COMMON = 1 / 3  # the share of texts above which a passage is nobody's own
FEW = 4  # texts that may have a passage in common in the smallest class
ALIKE = 0.8  # the share of the shorter text's passages from which a pair is listed
SOLUTION = "the solution"


class Token(NamedTuple):
    """A token as it is compared, and where it is in the text."""

    text: str
    begin: int
    end: int


@dataclass(frozen=True)
class Text:
    """An answer by `who`, and its own passages, each with the tokens in it."""

    who: str
    source: str
    passages: Mapping[tuple[str, ...], Sequence[Token]]


class Pair(NamedTuple):
    """Two texts and the passages that they share. `share` is of the passages of the text that has fewer."""

    question: str
    one: Text
    other: Text
    share: float
    shared: frozenset[tuple[str, ...]]


def similar(course: Course, assignment: str, earlier: Sequence[Path] = ()) -> tuple[Path, int, int]:
    """Write the page `grading/reports/ASSIGNMENT-similar.html`.

    Returns its path, and how many pairs of similar answers and groups of equal answers are on it.

    `earlier` are folders with submissions of earlier years, as STUDENT/ASSIGNMENT/ASSIGNMENT.ipynb. They are compared
    with this year's, not with each other. Raises CourseError for an unknown assignment, if nothing was handed in, and
    for a folder without such submissions.
    """
    taken = [(each.student, each.taken) for each in submissions(course, assignment)]
    mine = {who for who, _ in taken}
    path = course.solution(assignment)
    solved = nbformat.read(path, as_version=4)
    taken.append((SOLUTION, solved))
    for folder in earlier:
        found = sorted(folder.glob(f"*/{assignment}/{path.name}"))
        if not found:
            raise CourseError(f"{folder} has no submission STUDENT/{assignment}/{path.name}.")
        for each in found:
            old = with_answers(deepcopy(solved), read_submission(each), path.parent)
            taken.append((f"{folder.name}: {each.parts[-3]}", old))
    skeleton, _ = ClearSolutions().preprocess(deepcopy(solved), {})
    everyone = [(who, answers_in(nb)) for who, nb in taken]
    pairs: list[Pair] = []
    groups: list[tuple[str, list[Text]]] = []
    code = (cell.source for cell in skeleton.cells if cell.cell_type == "code")
    shown = {passage for source in code for passage in _passages(_in_order([*_tokens(source)]))}
    for name, right in answers_in(solved).items():
        prose = right.cell_type == "markdown"
        if not (prose or is_code(right)):  # right predictions are alike
            continue
        given = answers_in(skeleton)[name].source
        texts = [text_of(who, cells[name].source, given, shown, prose) for who, cells in everyone if name in cells]
        groups += [(name, group) for group in equal(texts) if mine & {text.who for text in group}]
        pairs += [Pair(name, *pair) for pair in alike(texts) if mine & {pair[0].who, pair[1].who}]
    pairs.sort(key=lambda pair: -pair.share)
    page = course.folder / "reports" / f"{assignment}-similar.html"
    data = {"assignment": assignment, "pairs": pairs, "groups": groups}
    write_whole(page, render("similar.html", TEMPLATES, **data, marked=marked))
    return page, len(pairs), len(groups)


def text_of(who: str, source: str, skeleton: str, shown: Collection[tuple[str, ...]] = (), prose: bool = False) -> Text:
    """An answer, with the passages of lines that are not the skeleton's, but not `shown`, and none if these are few."""
    source = re.sub(r"[^\S\n]{40,}", " ", re.sub(r"\n\s*\n", "\n", source))[:LONGEST]
    before, after = ([line.strip() for line in text.split("\n")] for text in (skeleton, source))
    given = {
        number
        for block in SequenceMatcher(None, before, after, autojunk=False).get_matching_blocks()
        for number in range(block.b, block.b + block.size)
    }
    ends = [0, *(place + 1 for place, character in enumerate(source) if character == "\n")]
    words = (Token(word[0].casefold(), *word.span()) for word in re.finditer(r"\w+", source))
    own = [token for token in (words if prose else _tokens(source)) if bisect_right(ends, token.begin) - 1 not in given]
    passages = {each: tokens for each, tokens in _passages(_in_order(own)).items() if each not in shown}
    return Text(who, source, passages if len(passages) > LEAST - PASSAGE else {})


def alike(texts: Sequence[Text]) -> Iterator[tuple[Text, Text, float, frozenset[tuple[str, ...]]]]:
    """The pairs of texts that have many passages in common."""
    count = Counter(passage for text in texts for passage in text.passages)
    most = _most(texts)
    own = [{passage for passage in text.passages if count[passage] <= most} for text in texts]
    holders: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for number, passages in enumerate(own):
        for passage in passages:
            holders[passage].append(number)
    shared = Counter(pair for found in holders.values() for pair in combinations(found, 2))
    for (one, other), number in shared.items():
        least = min(len(own[one]), len(own[other]))
        if (share := number / least) >= ALIKE and least > LEAST - PASSAGE:
            yield texts[one], texts[other], share, frozenset(own[one] & own[other])


def equal(texts: Sequence[Text]) -> list[list[Text]]:
    """The groups of equal texts that are too many for pairs: what they have in common is nobody's own in `alike`."""
    groups: dict[frozenset[tuple[str, ...]], list[Text]] = defaultdict(list)
    for text in texts:
        groups[frozenset(text.passages)].append(text)
    return [group for passages, group in groups.items() if passages and len(group) > _most(texts)]


def _most(texts: Sequence[Text]) -> float:
    """How many texts may have a passage that is somebody's own."""
    return max(FEW, COMMON * len(texts))


def marked(text: Text, shared: frozenset[tuple[str, ...]]) -> list[tuple[bool, str]]:
    """The text in parts, each with whether it is in a passage of `shared`."""
    spans = {(token.begin, token.end) for passage in shared for token in text.passages[passage]}
    inside = bytearray(len(text.source))
    for begin, end in spans:
        inside[begin:end] = b"\1" * (end - begin)
    return [
        (bool(kind), "".join(character for _, character in part))
        for kind, part in groupby(zip(inside, text.source, strict=True), key=lambda each: each[0])
    ]


def _tokens(source: str) -> Iterator[Token]:
    cell = cell_of(source)
    yield from lexed(
        cell.source, CudaLexer() if cell.magic == "cuda" else PythonLexer(), len(source) - len(cell.source)
    )


def lexed(source: str, lexer: CudaLexer | PythonLexer, first: int) -> Iterator[Token]:
    """The tokens of a text that begins at the character `first`, without comments, and with "name" for each name."""
    for offset, kind, text in lexer.get_tokens_unprocessed(f"{source}\n"):  # a comment ends with its line
        begin = first + offset
        scripted = kind in String and isinstance(lexer, PythonLexer) and kind not in String.Doc
        if scripted or kind is Comment.Preproc:  # a script has its kernels in strings, and a macro has a part of one
            yield from lexed(text.replace("#", " "), CudaLexer(), begin)
        elif kind in Comment or kind in Whitespace or kind in String.Doc or not text.strip("\\ \t\n"):
            continue
        elif kind in Name and kind not in Name.Builtin:
            yield Token("name", begin, begin + len(text))
        else:
            yield Token("number" if kind in Number else text, begin, begin + len(text))


def _in_order(tokens: Sequence[Token]) -> list[Token]:
    """The tokens with each run of simple statements sorted by their texts."""
    statements: list[list[Token]] = [[]]
    depth = 0
    for token in tokens:
        statements[-1].append(token)
        depth += (token.text == "(") - (token.text == ")")
        if token.text in "{}" or (token.text == ";" and depth <= 0):
            statements.append([])
    ordered: list[Token] = []
    for simple, run in groupby(statements, key=lambda each: bool(each) and each[-1].text == ";"):
        for statement in sorted(run, key=lambda each: [token.text for token in each]) if simple else run:
            ordered += statement
    return ordered


def _passages(tokens: Sequence[Token]) -> dict[tuple[str, ...], list[Token]]:
    found: dict[tuple[str, ...], list[Token]] = defaultdict(list)
    for window in zip(*(tokens[start:] for start in range(PASSAGE)), strict=False):
        found[tuple(token.text for token in window)] += window
    return found
