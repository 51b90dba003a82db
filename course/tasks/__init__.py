"""The tasks, which say what an answer must do. `load_task` finds a task by its name or by its path.

A task is Python text in KernelBench's form: `Model`, `get_inputs()`, `get_init_inputs()` if `Model` has arguments, and
sizes as module-level integers. Each file in this folder that PROBLEMS lists is a task with the name of the file. Each
entry of such a file's `VARIANTS` is another task: it lists only what differs from the file's own task. Each function of
`predictions.py` is a task, too, and `predictions.toml` has its hint and the likely mistakes in it. An instructor's own
task is a file beside the notebook that uses it.
"""

import difflib
import functools
import importlib
import inspect
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from course.tasks.case import (
    ASKS_FOR_ONE_THREAD,
    ONE_THREAD_PER_ELEMENT,
    STORED_ONCE,
    Case,
    TaskError,
    cases,
    few_requests,
    refusals,
    with_budget,
)
from course.tasks.task import VARIANT, Task

__all__ = [
    "ASKS_FOR_ONE_THREAD", "HIDDEN", "ONE_THREAD_PER_ELEMENT", "PREDICTIONS", "STORED_ONCE", "Case", "Task",
    "TaskError", "cases", "few_requests", "load_task", "prediction_texts", "refusals", "task_name", "task_names",
    "task_text", "with_budget",
]  # fmt: skip

FOLDER = Path(__file__).parent
HIDDEN = FOLDER.parents[1] / "autograder" / "hidden"  # exists in a clone, but not where students have the course
PREDICTIONS = FOLDER / "predictions.py"
# The files with tasks. The folder may also have files that an older version of the course left when it was replaced.
PROBLEMS = (
    *("attention", "axpy", "cumsum", "embedding_backward", "fast_matmul", "fast_matmul_split", "histogram"),
    *("linear_bfloat16", "linear_relu", "moving_average", "relu", "rms_norm", "row_scaling", "row_scaling_backward"),
    *("scalar_multiply", "scaled_relu", "softmax", "tiled_matmul", "transposed_matmul", "vector_add", "where_am_i"),
)

# The text of a task made from a function of predictions.py. A worker gets only this text, not the other answers.
PREDICTION = '''"""{about}"""

from torch import nn

from course.tasks import Case

{constants}

{function}

class Model(nn.Module):
    def forward(self):
        return {name}({given})


def get_inputs():
    return []


CASES = [Case()]
'''


def load_task(name_or_path: str | Path, sizes: Mapping[str, int] | None = None) -> Task:
    """The task of a name in `task_names()`, in which "-" may replace "_", or of a .py file in KernelBench's form.

    A file is given by its path, or by its name if it is in the current folder, which is the notebook's. `sizes` replace
    the task's own integers of the same names. Raises TaskError if there is no such task (the message suggests similar
    names), or if its file cannot be read or has no task.
    """
    name = str(name_or_path).replace("-", "_")
    files = _files()
    if name in files:
        path = files[name]
        source = _prediction(name) if path == PREDICTIONS else task_text(path)
        if name != path.stem and path != PREDICTIONS:
            source += f"\n{VARIANT} = {name!r}\n"
        return Task(name, source, str(path), sizes)
    path = Path(str(name_or_path))
    if path.suffix != ".py":
        path = Path(f"{name}.py")  # an instructor's own task, which is released with the notebook
        if not path.is_file():
            near = difflib.get_close_matches(name, task_names(), n=3, cutoff=0.4)
            raise TaskError(
                f"There is no task {str(name_or_path)!r}; did you mean {' or '.join(near or task_names())}? If your "
                f"instructor made it, put {path} from the released assignment beside your notebook."
            )
    return Task(path.stem, task_text(path), str(path), sizes)


def task_name(given: str) -> str:
    """The name of the task that `check` finds for `given`, a name with "-" or "_" or the name of a .py file."""
    return given.removesuffix(".py").replace("-", "_")


def task_names() -> list[str]:
    """The names of problems, of their variants and of predictions, in one sorted list."""
    return sorted(_files())


@functools.cache
def _files() -> dict[str, Path]:
    """The file of each task of the course, by the task's name."""
    problems = [FOLDER / f"{name}.py" for name in PROBLEMS]
    files = {path.stem: path for path in problems}
    for path in problems:
        module = importlib.import_module(f"{__name__}.{path.stem}")
        files |= dict.fromkeys(getattr(module, "VARIANTS", {}), path)
    predictions = importlib.import_module(f"{__name__}.{PREDICTIONS.stem}")
    return files | {name: PREDICTIONS for name, _ in inspect.getmembers(predictions, inspect.isfunction)}


def _prediction(name: str) -> str:
    """The function `name` of predictions.py as the text of a task."""
    function = getattr(importlib.import_module(f"{__name__}.{PREDICTIONS.stem}"), name)
    constants = inspect.signature(function).parameters.values()
    return PREDICTION.format(
        about=inspect.getdoc(function),
        constants="\n".join(f"{constant.name} = {constant.default!r}" for constant in constants),
        function=inspect.getsource(function),
        name=name,
        given=", ".join(f"{constant.name}={constant.name}" for constant in constants),
    )


@functools.cache
def prediction_texts() -> Mapping[str, Any]:
    """The hint, the likely mistakes and other texts of each prediction, by its name: see predictions.toml."""
    return tomllib.loads(PREDICTIONS.with_suffix(".toml").read_text(encoding="utf-8"))


def task_text(path: Path) -> str:
    """The text of a task file. Raises TaskError if the file cannot be read."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise TaskError(f"The task file {path} cannot be read: {reason}.") from error
