"""Finds the bracket of a CUDA source that has no partner. A compiler reports errors far away from it."""

import re

from course.text.cuda import CudaText, line_of

_CLOSING = {"(": ")", "[": "]", "{": "}"}
_LAMBDA = re.compile(r"\]\s*(?:\([^()]*\)\s*)?\{")


def unbalanced(source: str) -> tuple[int, str] | None:
    """The first bracket or string of `source` that is not closed, or that closes nothing; None if all of them match.

    It is the line, and a sentence without a full stop about what is wrong there.

    Also an `#if` without its `#endif`. None if the text alone cannot decide: if a macro decides an `#if`, with a macro
    whose own brackets do not match, or with a comment that never ends. If the result is not None, no compiler accepts
    the source.
    """
    cuda = CudaText.of(source)
    if "/*" in cuda.blank:
        return None
    if cuda.regions.open >= 0:
        return (line_of(source, cuda.regions.open), "this #if is never closed: its #endif is missing")
    if cuda.regions.undecided or any(_first_problem(cuda.lines[each.begin : each.end]) for each in cuda.directives):
        return None
    found = _open_string(cuda.without_directives) or _first_problem(cuda.without_directives)
    return (line_of(source, found[0]), found[1]) if found else None


def _open_string(text: str) -> tuple[int, str] | None:
    """The first `"` without a second `"` in its line; complete strings are already blank inside."""
    for match in re.finditer(r'"[^"\n]*"|"', text):
        if match[0] == '"':
            return match.start(), 'the string is never closed: the second " is missing'
    return None


def _first_problem(text: str) -> tuple[int, str] | None:
    """The offset of the problem and its sentence; `text` has no comments and only empty strings."""
    open_: list[int] = []
    for match in re.finditer(r"[()\[\]{};]", text):
        at, mark = match.start(), match[0]
        last = open_[-1] if open_ else -1
        inner = text[last] if open_ else ""
        if mark in _CLOSING:
            open_.append(at)
        elif mark == ";":
            if inner in ("(", "[") and not _separates(text, last, at):
                return last, _never_closed(text, last, at)
        elif inner and _CLOSING[inner] == mark:
            open_.pop()
        elif inner in ("(", "[") or (inner == "{" and _ends_a_block(text, open_, at)):
            return last, _never_closed(text, last, at)
        else:
            opening = next(begin for begin, end in _CLOSING.items() if end == mark)
            return at, f"this {mark} closes no {opening}: remove it, or add the missing {opening} before it"
    if not open_:
        return None
    culprit = next((at for at in open_ if text[at] != "{"), open_[-1])
    return culprit, _never_closed(text, culprit, len(text))


def _separates(text: str, open_: int, semicolon: int) -> bool:
    """Whether the semicolon is one of the two in the head of a `for`."""
    return bool(re.search(r"\bfor\s*$", text[max(0, open_ - 80) : open_])) and text.count(";", open_, semicolon) < 2


def _ends_a_block(text: str, open_: list[int], at: int) -> bool:
    """Whether the closing bracket at `at` shows that the innermost block has no closing brace.

    It does if it closes an outer bracket, and either it is the first character of its line, as in `);` after a lambda,
    or the block begins in the same line.
    """
    if not any(_CLOSING[text[each]] == text[at] for each in open_):
        return False
    begin = text.rfind("\n", 0, at) + 1
    return begin <= open_[-1] or not text[begin:at].strip()


def _never_closed(text: str, begin: int, end: int) -> str:
    """The sentence for the bracket at `begin`, which is open at `end`: a bracket, a semicolon, or the text's end."""
    opening, closing, stop = text[begin], _CLOSING[text[begin]], text[end : end + 1]
    before = text[max(0, begin - 80) : begin].rstrip()
    if opening == "(" and stop in ("}", ";") and _LAMBDA.search(text, begin, end):
        return f"{_named(before)}( is never closed: it must end with }});"
    line = line_of(text, end)
    there = f" of line {line}" if line != line_of(text, begin) else ""
    where = f" before the {stop}{there}" if stop and stop in ";)]" else ""
    if opening == "{":
        return f"the block that begins here is never closed: a {closing} is missing{where}"
    return f"{_named(before)}{opening} is never closed: a {closing} is missing{where}"


def _named(before: str) -> str:
    """The name that a bracket belongs to: `if `, `TORCH_CHECK`, `static_cast<int64_t>`, the `>>>` of a launch."""
    name = re.search(r"\w+(?:<[\w:]*>)?$|>>>$", before)
    if not name:
        return "a "
    return f"{name[0]} " if name[0] in ("if", "for", "while", "switch") else name[0]
