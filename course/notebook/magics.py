"""The cell magics `%%cuda`, `%%candidate` and `%%triton`."""

import ast
import importlib.util
import keyword
import time
from typing import Any

from course import build
from course.build import Unbuilt
from course.errors import BuildError, CourseError
from course.notebook.answers import Candidate, watch
from course.notebook.saved import bundle, line_mark, marked_lines
from course.progress import interruptible
from course.worker.cells import Cell
from course.worker.messages import SOURCE_BOUND, TOO_LONG
from course.worker.server import own_server

NO_TRITON = (
    "Triton is not installed, so this cell does nothing: on Linux (x86-64 or ARM, with or without a GPU), run "
    "%pip install triton and restart the kernel; macOS and Windows have no such package. No points depend on it."
)


def load_magics(shell: Any) -> None:
    """Register `%%cuda`, `%%candidate` and `%%triton` in an IPython shell.

    Parameters
    ----------
    shell : IPython.core.interactiveshell.InteractiveShell
        The shell that gets the magics. They bind names in its namespace.
    """

    @interruptible("%%cuda")
    def cuda(line: str, cell: str) -> None:
        """`%%cuda NAME [--toolchain nvcc|emulator]`: build the cell as CUDA source and bind NAME to the module.

        This is the same as `NAME = course.load_inline("NAME", cuda_sources=<this cell>, functions=[...])`, where
        `functions` are those that take or return tensors.
        """
        name, toolchain = _magic_arguments("cuda", line)
        # In the editor, the magic's line is line 1. The source begins with an empty line, so that line numbers agree.
        source = "\n" + cell
        shell.push({name: Unbuilt(name, source)})
        if len(source) > SOURCE_BOUND:
            raise CourseError(TOO_LONG)
        start = time.monotonic()
        functions = build.bindable_functions(source)
        try:
            module = build.load_inline(name, cuda_sources=source, functions=functions, toolchain=toolchain)
        except BuildError as error:
            if error.lines:
                marks = (line_mark(number, text) for number, text in error.lines)
                shown = {"text/plain": f"{name} is not built."}  # shown if JupyterLab lacks the course's extension
                shell.display_pub.publish(shown | bundle(**marked_lines(name, source, marks)))
            raise
        shell.push({name: module})
        print(f"{name} is built, in {time.monotonic() - start:.1f} s.")

    def candidate(line: str, cell: str) -> None:
        """`%%candidate NAME`: bind NAME to the cell's text, a whole KernelBench script with `ModelNew`."""
        name, toolchain = _magic_arguments("candidate", line)
        if toolchain:
            raise CourseError("%%candidate accepts only a name: the script itself says how its source is built.")
        source = "\n" + cell  # an empty line for the magic's line, as in `%%cuda`
        shell.push({name: Candidate(source)})
        _check_script(source)

    def triton(_: str, cell: str) -> None:
        """`%%triton`: run the rest of the cell as Python, or say how to install Triton if it is missing."""
        if importlib.util.find_spec("triton"):
            file = shell.compile.cache("\n" + cell)  # where Triton's decorator finds the text of a kernel
            exec(compile("\n" + cell, file, "exec"), shell.user_ns)
        else:
            print(NO_TRITON)

    watch(shell)
    own_server().start()  # so that the first check need not wait for the import of PyTorch
    shell.register_magic_function(cuda, "cell", "cuda")
    shell.register_magic_function(candidate, "cell", "candidate")
    shell.register_magic_function(triton, "cell", "triton")
    if _magic_first not in shell.input_transformers_cleanup:
        shell.input_transformers_cleanup.insert(0, _magic_first)  # before IPython removes empty lines at the top


def _magic_first(lines: list[str]) -> list[str]:
    """Move the magic of a cell to the first line, where IPython needs it, and keep the line numbers of the rest.

    This is one of IPython's `input_transformers_cleanup`, which get every cell. Raises what `Cell.of` raises.
    """
    cell = Cell.of("".join(lines))
    if not cell.magic:
        return lines
    return f"{cell.around}%%{cell.magic}{cell.arguments}{cell.source}".splitlines(keepends=True)


_magic_first.has_side_effects = True  # type: ignore[attr-defined]  # not called while a cell is typed


def _magic_arguments(magic: str, line: str) -> tuple[str, str | None]:
    """The name and the toolchain on the line of a magic. Raises CourseError if the name is not valid in Python."""
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
    """Raise CourseError if a candidate is not valid Python or has no `ModelNew`, without waiting for a check."""
    try:
        tree = ast.parse(source)
    except SyntaxError as error:
        text = (error.text or "").strip()
        raise CourseError(f"Line {error.lineno} is not valid Python ({error.msg}): {text}") from None
    if not any(isinstance(node, ast.ClassDef) and node.name == "ModelNew" for node in tree.body):
        raise CourseError("A candidate must define the class ModelNew, but this cell does not.")
