"""Lines of a source, as numbers and as citations."""

from __future__ import annotations

import textwrap

CITED, QUOTED = 60, 200  # characters of a line within a sentence, and of a line shown below one


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
