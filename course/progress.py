"""A progress line for notebooks and terminals: the current work and its time so far."""

from __future__ import annotations

import ast
import contextlib
import shutil
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from IPython.display import DisplayHandle

DELAY = 0.5  # s before the line appears: what the build cache has is there sooner


@contextlib.contextmanager
def progress(text: str) -> Iterator[Callable[[str], None]]:
    """Show a line with `text` and the seconds so far while the block runs, and remove it afterwards.

    The block gets a function that changes the text. Nothing is shown if no person is watching: if a notebook
    is executed by a program, such as nbgrader, or if the output goes to a file.
    """
    show, done, start = _line(), threading.Event(), time.monotonic()

    def say(line: str) -> None:
        nonlocal text
        text = line

    def tell(show: Callable[[str], None]) -> None:
        if done.wait(DELAY):
            return
        ended = False
        while not ended:
            seconds = time.monotonic() - start
            show(f"{text}, {seconds:.0f} s" if seconds >= 1 else text)
            ended = done.wait(1 - seconds % 1)
        show("")

    if show is None:
        yield say
        return
    thread = threading.Thread(target=tell, args=(show,), daemon=True)
    thread.start()
    try:
        yield say
    finally:
        done.set()
        thread.join()


def _line() -> Callable[[str], None] | None:
    """A function that replaces the text before, or removes it for ""; None if no person is watching."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    if kernel := getattr(shell, "kernel", None):
        # If nobody can be asked for input, a program runs the notebook.
        return _notebook_line(shell) if kernel._allow_stdin else None
    return _terminal_line() if sys.stdout.isatty() else None


def _terminal_line() -> Callable[[str], None]:
    stream = sys.stdout  # PyTorch's build replaces it temporarily

    def show(text: str) -> None:
        stream.write(f"\r{text[: shutil.get_terminal_size().columns - 1]}\x1b[K")
        stream.flush()

    return show


def _notebook_line(shell: Any) -> Callable[[str], None]:
    from IPython.display import clear_output, display

    handle: DisplayHandle | None = None
    alone = _begins(shell)

    def show(text: str) -> None:
        nonlocal handle
        if handle is None:
            handle = display({"text/plain": text}, raw=True, display_id=True)
        elif text or not alone:
            handle.update({"text/plain": text}, raw=True)
        else:
            clear_output()  # an empty line would stay in the saved notebook

    return show


def _begins(shell: Any) -> bool:
    """Whether the running cell is in its first statement, a simple one, and so has no output of its own yet."""
    # The user's outermost frame is the cell.
    *_, line = (0, *(line for frame, line in traceback.walk_stack(None) if frame.f_globals is shell.user_ns))
    begun = [each for each in ast.parse(shell.history_manager.input_hist_parsed[-1]).body if each.lineno <= line]
    return len(begun) == 1 and isinstance(begun[0], ast.Expr | ast.Assign)
