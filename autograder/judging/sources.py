"""What a judgement depends on besides the answer: the judge's own code, and the task with its hidden cases."""

from __future__ import annotations

import ast
import functools
import hashlib
from collections.abc import Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NOT_PYTHON = (".h", ".cpp", ".cu", ".sh")


@functools.cache
def judge_sources() -> str:
    """A hash of the code that judges: of `judge_modules`, and of every source that is not Python.

    What only notebooks import is not part of it, nor are comments and docstrings.
    """
    parts = _codes(judge_modules())
    for folder in (ROOT / "course", ROOT / "autograder" / "judging"):
        for path in sorted(path for path in folder.rglob("*") if path.suffix in NOT_PYTHON):
            parts.append(f"{path.relative_to(ROOT)} {path.read_bytes()!r}")
    return _hash(parts)


def judge_modules() -> set[str]:
    """The modules that judge. Those of a worker's process are all in `course/worker/`, and started by their names."""
    paths = (path.relative_to(ROOT).with_suffix("") for path in (ROOT / "course" / "worker").rglob("[a-z]*.py"))
    return _reached(["autograder.judging.jobs", *(".".join(path.parts) for path in paths)])


@functools.lru_cache(maxsize=1024)
def text_and_imports(text: str) -> str:
    """A hash of Python code, and of what it imports from the course."""
    try:
        code, imports = _code_and_imports(text)
    except SyntaxError:  # judging will say so
        code, imports = text, []
    return _hash([code, *_codes(_reached(imports))])


def _reached(names: Iterable[str]) -> set[str]:
    """The modules of the course and of the autograder that these modules import, directly or not, with these modules.

    `course/__init__.py` is left out: its functions import what a notebook shows.
    """
    found: set[str] = set()
    todo = list(names)
    while todo:
        if (name := todo.pop()) not in found and name != "course" and (parsed := _parsed(name)):
            found.add(name)
            todo += parsed[1]
    return found


@functools.cache
def _parsed(name: str) -> tuple[str, list[str]] | None:
    """The code of a module and what it imports; None if it is no module of the course or the autograder."""
    path = ROOT.joinpath(*name.split("."))
    files = (file for file in (path.with_suffix(".py"), path / "__init__.py") if file.is_file())
    return next((_code_and_imports(file.read_text(encoding="utf-8")) for file in files), None)


def _codes(names: Iterable[str]) -> list[str]:
    return [f"{name} {_parsed(name)}" for name in sorted(names)]


def _code_and_imports(text: str) -> tuple[str, list[str]]:
    """Python code without comments and docstrings, and the names that it imports anywhere."""
    tree = ast.parse(text)
    imports = [name for node in ast.walk(tree) for name in _imported(node)]
    for node in ast.walk(tree):
        match node:
            case ast.Module() | ast.ClassDef() | ast.FunctionDef() | ast.AsyncFunctionDef():
                if ast.get_docstring(node, clean=False) is not None:
                    node.body = node.body[1:]
    return ast.dump(tree), imports


def _imported(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.Import(names=names):
            yield from (each.name for each in names)
        case ast.ImportFrom(module=str(module), names=names):
            yield module
            yield from (f"{module}.{each.name}" for each in names)


def _hash(parts: Iterable[str]) -> str:
    return hashlib.sha256("\n".join(parts).encode(errors="surrogatepass")).hexdigest()
