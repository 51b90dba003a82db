"""Finds what is in a source but in no C++: it came with a paste from a page, with a merge, or from another cell."""

import ast
import html
import re

from course.explain.texts import Found
from course.text.cuda import CudaText, line_of

_MERGED = re.compile(r"^(?:(?P<git><{7}|\|{7}|={7}|>{7})(?![<|=>]).*|%%\w+)", re.MULTILINE)
_ENTITY = re.compile(r"&(?:lt|gt|amp|quot|apos|nbsp|#\d{1,7}|#[xX][\da-fA-F]{1,6});")
_OPEN_STRING = re.compile(r'"[^"\n]*"|"[^\n\u201c-\u201e]*')  # one without an end ends at a typographic quote
_UNUSUAL = re.compile(r"[^\t-\r -~]")


def pasted(source: str) -> tuple[int, Found] | None:
    """The line of what came with a paste or a merge, and what it is; None if nothing did.

    It is no error where no compiler reads it, as in a macro without a use: look for it if a source does not build.
    """
    cuda = CudaText.of(source)
    text = cuda.blank.partition("/*")[0]  # without a comment that never ends
    if found := _MERGED.search(text):
        case = "git" if found["git"] else "cell"
        return line_of(source, found.start()), Found("merged", {"case": case, "name": found[0]})
    if line := _python(cuda):
        return line, Found("merged", {"case": "python"})
    for entity in _ENTITY.finditer(text):
        if not re.search(rf"(?<!&)\b{re.escape(entity[0][1:-1])}\b", text):  # a variable `lt` may follow `&`
            facts = {"entity": entity[0], "stands_for": html.unescape(entity[0])}
            return line_of(source, entity.start()), Found("entity", facts)
    text = _OPEN_STRING.sub(lambda string: " " * len(string[0]), text)
    # Letters of all languages may be in an identifier.
    for odd in (each for each in _UNUSUAL.finditer(text) if not f"a{each[0]}".isidentifier()):
        return line_of(source, odd.start()), Found("odd_character", {"name": odd[0], "count": text.count(odd[0])})
    return None


def _python(cuda: CudaText) -> int:
    """The line in which Python begins below the blocks of a source, up to its end; 0 if there is none."""
    ends = [block.end() for block in re.finditer(r"^\}.*\n", cuda.blank, re.MULTILINE)]
    for end in ends[-3:]:  # a dict of Python may end so, too
        tail = re.sub(r"^[%!].*", "pass", cuda.without_comments[end:], flags=re.MULTILINE)
        try:
            tree = ast.parse(tail)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
        # A macro with arguments, on a line of its own, has the form of a call in Python.
        if ";" not in cuda.blank[end:] and re.match(r"(?![A-Z\d_]+\()[\s\S]*(?:\(|import )", ast.unparse(tree)):
            return line_of(cuda.source, end) + tree.body[0].lineno - 1
    return 0
