"""The cell magics `%%cuda` and `%%candidate`."""

from __future__ import annotations

import ast
import keyword
import time
from typing import Any

from course import build
from course.build import Unbuilt
from course.errors import CourseError
from course.notebook.answers import Candidate
from course.worker.server import warm


def load_magics(shell: Any) -> None:
    """Register `%%cuda` and `%%candidate` in an IPython shell.

    Parameters
    ----------
    shell : IPython.core.interactiveshell.InteractiveShell
        The shell that gets the magics, and whose namespace they bind names in.
    """

    def cuda(line: str, cell: str) -> None:
        """`%%cuda NAME [--toolchain torch|nvcc|emulator]`: build the cell as CUDA source and bind NAME to the module.

        The same as `NAME = course.load_inline("NAME", cuda_sources=<this cell>, functions=[...])` with the functions
        that take or return tensors.
        """
        name, toolchain = _magic_arguments("cuda", line)
        # The magic's own line is line 1 in the editor, so the source begins with an empty one: line numbers agree.
        source = "\n" + cell
        shell.push({name: Unbuilt(name, source)})
        start = time.monotonic()
        functions = build.bindable_functions(source)
        module = build.load_inline(name, cuda_sources=source, functions=functions, toolchain=toolchain)
        shell.push({name: module})
        print(f"{name} is built, in {time.monotonic() - start:.1f} s.")

    def candidate(line: str, cell: str) -> None:
        """`%%candidate NAME`: bind NAME to the cell's text, a whole KernelBench script with `ModelNew`."""
        name, toolchain = _magic_arguments("candidate", line)
        if toolchain:
            raise CourseError("%%candidate takes a name and nothing else: its own text says how it is built.")
        source = "\n" + cell  # as above
        shell.push({name: Candidate(source)})
        _check_script(source)

    warm()  # so that the first check need not wait for it
    shell.register_magic_function(cuda, "cell", "cuda")
    shell.register_magic_function(candidate, "cell", "candidate")


def _magic_arguments(magic: str, line: str) -> tuple[str, str | None]:
    """The name and the toolchain on the line of a magic. Raises CourseError if the name cannot be bound."""
    match line.split():
        case [name]:
            toolchain = None
        case [name, "--toolchain", toolchain]:
            pass
        case _:
            name, toolchain = "", None
    if not name.isidentifier() or keyword.iskeyword(name):
        raise CourseError(f"Write %%{magic} and the Python name to bind, as in `%%{magic} scale`.")
    return name, toolchain


def _check_script(source: str) -> None:
    """Raise CourseError if a candidate is not Python or has no `ModelNew`: now, before it is judged."""
    try:
        tree = ast.parse(source)
    except SyntaxError as error:
        text = (error.text or "").strip()
        raise CourseError(f"Line {error.lineno} is not valid Python ({error.msg}): {text}") from None
    if not any(isinstance(node, ast.ClassDef) and node.name == "ModelNew" for node in tree.body):
        raise CourseError("A candidate must define the class ModelNew: this cell does not.")
