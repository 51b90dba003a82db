"""Write CUDA kernels for PyTorch in a notebook: build, run, check and compare them, with or without a GPU.

`start()` gives a notebook the magics `%%cuda` and `%%candidate`; `%load_ext course` gives it all names below, too.
`DEVICE`, `"cuda"` or `"cpu"`, is the device on which this machine's toolchain expects tensors.
"""

import importlib
from typing import Any

# Each name is imported at its first use, so that `import course` is quick and needs only the packages that are used.
_HOME = {
    "DEVICE": "course.device",
    "load_inline": "course.build",
    "bet": "course.notebook.bets",
    "check": "course.notebook.check",
    "compare": "course.notebook.compare",
    "held_against": "course.notebook.tables",
    "include_path": "course.build",
    "picture": "course.notebook.pictures",
    "start": "course.notebook.start",
    "sweep": "course.notebook.sweep",
    "tally": "course.notebook.tally",
    "trace": "course.notebook.trace",
}

__all__ = [*_HOME]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'course' has no attribute {name!r}")
    _refuse_machine()
    return getattr(importlib.import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return __all__  # the completions that a notebook offers after `course.`


def load_ipython_extension(shell: Any) -> None:
    """What `%load_ext course` calls, and each kernel that `course lab` starts: no cell need run before a check."""
    _refuse_machine()
    from course.notebook.magics import load_magics

    load_magics(shell)
    names = {name: __getattr__(name) for name in __all__ if name not in shell.user_ns}
    shell.push(names, interactive=False)


def _refuse_machine() -> None:
    """Raise CourseError if the course cannot work, before an import fails with a less clear message."""
    from course.errors import CourseError
    from course.prepare import platform_problem

    if problem := platform_problem():
        raise CourseError(problem)
    from course.toolchains.pytorch import pytorch_problem  # imports PyTorch

    if problem := pytorch_problem():
        raise CourseError(problem)
