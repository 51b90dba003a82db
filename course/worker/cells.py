"""Reads a notebook cell as the notebook and the autograder both do: its magic, and the text that is built or run."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import takewhile

from course.errors import CourseError

# IPython's magics that run the rest of the cell as a cell of its own. They may be above a magic of the course.
_AROUND = r"%%(?:time|timeit|capture|prun)\b"
# A line above the magic that says nothing: empty, a comment of Python or C++, or one of these magics. A directive of
# C++ is no comment of Python.
_SAYS_NOTHING = re.compile(
    rf"\s*(?:#(?!(?:include|define|undef|pragma|if|ifdef|ifndef|elif|else|endif)\b)|//|{_AROUND}|$)"
)
_MAGIC = re.compile(r"\s*%%(cuda|candidate)(?![^\s?])(.*)")
_MISSPELT = re.compile(r"\s*(%+\s*(?:cu|cuda|cuda_\w+|nvcc|candidate)\b)", re.IGNORECASE)
_QUOTED = re.compile(r"('''|\"\"\")(?s:.*?)\1|\"[^\"\n]*\"|'[^'\n]*'|#[^\n]*")  # strings and comments of Python
_CUDA = re.compile(r"__global__|torch::Tensor")


@dataclass(frozen=True)
class Cell:
    """The parts of a cell. `magic` is "cuda", "candidate", or "" for a cell of Python.

    `arguments` is the rest of the magic's line, from the space on. In `source`, empty lines replace this line and
    those above, so that line numbers are those of the cell. `around` has the magics of IPython that are above it.
    """

    magic: str
    arguments: str
    source: str
    around: str = ""

    @classmethod
    def of(cls, text: str) -> "Cell":
        """Take the text of a cell apart.

        Above the magic, a cell may have empty lines, comments, and `%%time`, `%%timeit`, `%%capture` or `%%prun`.
        Raises CourseError if the magic is below other text, misspelt, or missing above CUDA code.
        """
        lines = text.split("\n")
        number = len([*takewhile(_SAYS_NOTHING.match, lines)])
        around = [line for line in lines[:number] if re.match(rf"\s*{_AROUND}", line)]
        first = lines[number] if number < len(lines) else ""
        if magic := _MAGIC.match(first):
            source = "\n" * (number + 1) + "\n".join(lines[number + 1 :])
            return cls(magic[1], magic[2].rstrip(), source, "".join(f"{line.strip()}\n" for line in around))
        if misspelt := _MISSPELT.match(first):
            raise CourseError(f"{misspelt[1]} is no magic of the course: write %%cuda NAME, as in `%%cuda adder`.")
        source = "\n".join([*("" if line in around else line for line in lines[:number]), *lines[number:]])
        if not first.lstrip().startswith("%%") and not _is_python(source):
            _refuse(lines, first)
        return cls("", "", source)

    def names(self) -> frozenset[str]:
        """The names that the cell binds: the one after the magic, or those that its Python defines or assigns to."""
        if self.magic:
            return frozenset(self.arguments.split()[:1])
        try:
            return frozenset(_bound(ast.parse(self.source)))
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return frozenset()


def _bound(node: ast.AST) -> Iterator[str]:
    """The names that `node` binds in the scope in which it is run."""
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            yield node.name
            return
        case ast.Lambda() | ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
            return
        case ast.Name(ctx=ast.Store()):
            yield node.id
    for child in ast.iter_child_nodes(node):
        yield from _bound(child)


def _refuse(lines: list[str], first: str) -> None:
    """Raise CourseError if a cell that is not Python has a magic below its `first` line of code, or lacks its magic."""
    for number, line in enumerate(lines, start=1):
        if magic := _MAGIC.match(line):
            raise CourseError(
                f"%%{magic[1]} must be on the first line of its cell, but is on line {number}: {line.strip()}\n"
                f"Move the lines above it below it: {first.strip()}"
            )
    if _CUDA.search(_QUOTED.sub("", "\n".join(lines))):
        raise CourseError("The line %%cuda NAME is missing: write it above this CUDA code, as in `%%cuda adder`.")


def _is_python(text: str) -> bool:
    """Whether a cell is plain Python. Commands of IPython, such as `!ls`, are not."""
    try:
        ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True
