"""What a notebook shows of a long call: a line with the current work and its seconds, and an interrupt in one line."""

import ast
import contextlib
import functools
import shutil
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

if TYPE_CHECKING:
    from IPython.display import DisplayHandle

DELAY = 0.5  # seconds until the line appears; what is in the build cache loads faster


_running: list[Callable[[str], str]] = []  # what changes the text of the line that is shown, and returns the old text


@contextlib.contextmanager
def progress(text: str) -> Iterator[Callable[[str], object]]:
    """While the block runs, show a line with `text` and the seconds since its start. Remove the line afterwards.

    The block gets a function that changes the text. No line is shown if nobody would see it: if a program, such as
    nbgrader, runs the notebook, or if the output goes to a file. Inside another such block, that block's line shows
    `text` meanwhile.
    """
    if _running:
        say = _running[-1]
        before = say(text)
        try:
            yield say
        finally:
            say(before)
        return
    show, done, start = _line(), threading.Event(), time.monotonic()

    def say_here(line: str) -> str:
        nonlocal text
        text, before = line, text
        return before

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
        yield say_here
        return
    thread = threading.Thread(target=tell, args=(show,), daemon=True)
    thread.start()
    _running.append(say_here)
    try:
        yield say_here
    finally:
        _running.remove(say_here)
        done.set()
        thread.join()


def _line() -> Callable[[str], None] | None:
    """A function that replaces the line by a text, or removes it for "". None if nobody would see the line."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    if kernel := getattr(shell, "kernel", None):
        # If nobody can be asked for input, a program runs the notebook.
        return _notebook_line(shell) if kernel._allow_stdin else None
    return _terminal_line() if sys.stdout.isatty() else None


def _terminal_line() -> Callable[[str], None]:
    stream = sys.stdout  # kept, because a build by PyTorch replaces sys.stdout temporarily

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
    """Whether the running cell is still in its first statement, a simple one, and so has no output of its own yet."""
    # The outermost of the user's frames is the cell.
    *_, line = (0, *(line for frame, line in traceback.walk_stack(None) if frame.f_globals is shell.user_ns))
    begun = [each for each in ast.parse(shell.history_manager.input_hist_parsed[-1]).body if each.lineno <= line]
    return len(begun) == 1 and isinstance(begun[0], ast.Expr | ast.Assign)


P = ParamSpec("P")
R = TypeVar("R")


class Interrupted(KeyboardInterrupt):
    """The learner interrupted one of the course's functions. Notebooks show this error without a stack trace.

    The first stack trace through the course's code in a notebook would take IPython 8 to 15 s to render.
    """

    def _render_traceback_(self) -> list[str]:
        """The lines that IPython shows in place of a stack trace."""
        return [f"KeyboardInterrupt: {self}"]


def interruptible(name: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """A decorator for the function that learners know as `name`. An interrupt of it is shown in one line."""

    def decorator(function: Callable[P, R]) -> Callable[P, R]:
        @functools.wraps(function)
        def wrapper(*arguments: P.args, **keywords: P.kwargs) -> R:
            try:
                return function(*arguments, **keywords)
            except KeyboardInterrupt:
                raise Interrupted(f"{name} was interrupted: run the cell again.") from None

        return wrapper

    return decorator
