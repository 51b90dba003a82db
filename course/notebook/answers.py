"""Finds the text that `check` and `compare` judge: that of an object, and that of the cell that ran last.

The cells that ran in this kernel are remembered, so that `check` judges the text that the autograder will read.
"""

import ast
import builtins
import linecache
import re
from dataclasses import dataclass, replace
from types import FunctionType
from typing import Any
from weakref import WeakSet

from course import build
from course.build import UnbuiltFunction
from course.errors import CourseError
from course.notebook.saved import value_at
from course.worker.cells import Cell
from course.worker.protocol import Answer
from course.worker.server import inside_worker

LITERALS = (bool, int, float, str, tuple, list, dict)  # the types of a prediction
ERROR_BOUND = 200  # characters of an error in a sentence

# What a cell that is not plain Python binds, or would bind: the name after a magic, or at the start of a line.
_WOULD_BIND = re.compile(
    r"^(?:[ \t]*%+\s*(?:cuda|candidate)[ \t]+|def\s+|class\s+|(?:%time[ \t]+)?(?=\w+[ \t]*=(?!=)))(\w+)",
    re.MULTILINE | re.I,
)
_OTHER_MAGIC = re.compile(r"\s*%%(?!\s*(?:cuda|candidate)\b)", re.I)
_FUNCTION = re.compile(r"torch::Tensor\s+(\w+)\s*\(")


@dataclass(frozen=True)
class Candidate:
    """A whole KernelBench script that defines `ModelNew`. `%%candidate NAME` binds its name to such an object."""

    source: str


def answer_of(function: object) -> Answer:
    """The text that is judged for an object, its kind, and the name of the function that it defines.

    The object is a function of a `%%cuda` module, built or not; the script that a `%%candidate` cell bound; a Python
    function, or a class with a `forward`, that a cell defines; or a prediction, which is a literal. Raises CourseError
    for any other object, and if its text cannot be found. Raises RuntimeError if this process is a worker, which means
    that the answer calls `check` or `compare` itself.
    """
    if inside_worker():
        # To judge a Python function, the worker runs its cell again. If that cell called `check`, judging would never
        # end. This is not a CourseError, because the mistake is in the answer and the referee should report it.
        raise RuntimeError("a cell that defines an answer cannot judge it: put check or compare into a separate cell")
    match function:
        case build.Function():
            return Answer("cuda", function.source, function.name, function.built_from.cuda_cflags)
        case UnbuiltFunction():
            return Answer("cuda", function.source, function.name)
        case Candidate():
            return Answer("candidate", function.source, "ModelNew")
        case FunctionType():
            return Answer("python", _cell_of(function), function.__name__)
        case type() if isinstance(forward := getattr(function, "forward", None), FunctionType):
            return Answer("python", _cell_of(forward), function.__name__)
        case float():
            return Answer("python", f"prediction = float({str(function)!r})", "prediction")
        case value if isinstance(value, LITERALS):
            return Answer("python", f"prediction = {function!r}", "prediction")
    raise CourseError(
        f"A {type(function).__name__} is not an answer: give the function itself (`module.function`, without a call), "
        "the name of a %%candidate cell, or a number, string, tuple, list or dict."
    )


def _cell_of(function: FunctionType) -> str:
    """The whole text of the cell or file that defines a function."""
    text = "".join(linecache.getlines(function.__code__.co_filename))
    if not text or function.__name__ == "<lambda>":
        raise CourseError(f"The text of {function.__name__} cannot be found: define it with `def` in a notebook cell.")
    return text


@dataclass(frozen=True)
class Run:
    """One run of a cell.

    `number` is the n of its `In [n]`, and `names` are the names that it binds, or would have bound. `error` is the
    error that ended it, or "". Front ends that send a cell's metadata, such as JupyterLab, also tell its id (`cell`),
    its grade_id if it is an answer (`answer`), and the grade_id of the answer that it checks (`checks`).
    """

    number: int
    text: str
    names: frozenset[str] = frozenset()
    cell: str = ""
    answer: str = ""
    checks: str = ""
    error: str = ""

    def source(self) -> str:
        """The text as it is built or run, or "" if its magic is misplaced, misspelt or missing."""
        try:
            return Cell.of(self.text).source
        except CourseError:
            return ""


class Missing:
    """What `check` gets for a name that no cell has bound, so that Run All goes on."""

    def __getattr__(self, name: str) -> "Missing":
        if name.startswith("_"):
            raise AttributeError(name)
        return self


_watched: WeakSet[Any] = WeakSet()  # shells
_done: list[Run] = []  # in this kernel, in order
_running: list[Run] = []  # the running cell last; a cell may run another one


def watch(shell: Any) -> None:
    """Remember the cells that an IPython shell has run, and those that it will run."""
    if shell in _watched:
        return
    _watched.add(shell)
    _done.clear()
    history = getattr(shell.history_manager, "input_hist_raw", [])
    _done.extend(_with_names(Run(number, text)) for number, text in enumerate(history) if text)

    def before(info: Any) -> None:
        metadata = value_at(getattr(shell, "get_parent", dict)(), "metadata")
        solution = value_at(metadata, "nbgrader", "solution") is True
        known = (
            value_at(metadata, "cellId"),
            value_at(metadata, "nbgrader", "grade_id") if solution else "",
            value_at(metadata, "course", "answer"),
        )
        cell, answer, checks = (each if isinstance(each, str) else "" for each in known)
        _running.append(Run(0, info.raw_cell, cell=cell, answer=answer, checks=checks))
        for name in filter(str.isidentifier, map(_root, _checked(info.raw_cell).values())):
            if name not in shell.user_ns and not hasattr(builtins, name):
                shell.user_ns[name] = Missing()

    def after(result: Any) -> None:
        if _running:
            error = result.error_before_exec or result.error_in_exec
            said = f"{type(error).__name__}: {error}".partition("\n")[0][:ERROR_BOUND] if error else ""
            run = replace(_running.pop(), number=result.execution_count or 0, error=said)
            _done.append(_with_names(run))
        for name in [name for name, value in shell.user_ns.items() if type(value) is Missing]:
            del shell.user_ns[name]

    shell.events.register("pre_run_cell", before)
    shell.events.register("post_run_cell", after)


def _now() -> Run:
    """The running cell; an empty one outside of IPython."""
    if not (shell := getattr(builtins, "get_ipython", None)):  # defined only while a cell runs
        return Run(0, "")
    watch(shell())  # if `%load_ext course` has not done so
    return (_running or _done or [Run(0, "")])[-1]


def checked_answer(task: str) -> str:
    """The expression that is the answer in the running cell's `check("task", answer, ...)`, such as "adder.add".

    It is "" if no cell is running, or if the cell has no such call.
    """
    return _checked(_now().text).get(task, "")


def run_to_judge(expression: str) -> tuple[Run | None, str]:
    """The run that bound the name in `expression`, the answer in the running check, and a remark on it or "".

    If the front end tells which cell is the answer cell, it is the last run of that cell, whatever another cell has
    bound since, and has its grade_id as `answer`. Otherwise, it is the last run that bound the name, or None. Raises
    NotRead if another cell has bound the name, and the answer cell was not run.
    """
    name, answer = _root(expression), _now().checks
    own = max((place for place, run in enumerate(_done) if answer and run.answer == answer), default=-1)
    if own >= 0:
        since = [run for run in _done[own + 1 :] if name in run.names and not run.error]
        remark = (
            f"This is the mark of the answer cell {answer} as In [{_done[own].number}] ran it. Another cell, "
            f"In [{since[-1].number}], has bound {name} since. The autograder does not read that cell."
            if since
            else ""
        )
        return _done[own], remark
    binding = [run for run in _done if name in run.names]
    if not binding:
        return None, ""
    last = binding[-1]
    if answer and not last.error:
        raise NotRead(
            f"{name} was bound by In [{last.number}], which is not the answer cell {answer}. The autograder reads only "
            "the answer cell: put your answer there, and run it."
        )
    others = [run.number for run in binding if last.cell and run.cell not in ("", last.cell)]
    if others:
        return last, (
            f"This is the mark of In [{last.number}]. Another cell, In [{others[-1]}], bound {name} before. The "
            "autograder reads only the answer cell."
        )
    return last, f"This is the mark of In [{last.number}]." if len({run.text for run in binding}) > 1 else ""


class NotRead(CourseError):
    """The autograder would not read the text that a check is about."""


def _with_names(run: Run) -> Run:
    try:
        names = Cell.of(run.text).names()
    except CourseError:
        names = frozenset()
    if not names and not _OTHER_MAGIC.match(run.text):
        names = frozenset(_WOULD_BIND.findall(run.text))
    if not names and run.error:  # it would have bound what it bound before, or what has the same functions
        functions = {*_FUNCTION.findall(run.text)}
        same = [other for other in _done if run.cell and run.cell == other.cell]
        same = same or [other for other in _done if functions & {*_FUNCTION.findall(other.text)}]
        names = same[-1].names if same else names
    return replace(run, names=names)


def _root(expression: str) -> str:
    """The name at the start of an expression."""
    return re.match(r"\w*", expression)[0]  # type: ignore[index]


def _checked(text: str) -> dict[str, str]:
    """The expressions that a cell passes to `check`, by task."""
    try:
        nodes = [*ast.walk(ast.parse(Cell.of(text).source))]
    except (CourseError, SyntaxError, ValueError, RecursionError, MemoryError):
        return {}
    found = {}
    for node in nodes:
        match node:
            case ast.Call(func=ast.Name("check"), args=[ast.Constant(str(task)), answer, *_]):
                found[task] = ast.unparse(answer)
    return found
