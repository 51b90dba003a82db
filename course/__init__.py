"""Write CUDA kernels for PyTorch in a notebook: build, run, check and compare them, with or without a GPU.

`%load_ext course` gives a notebook the magics `%%cuda` and `%%candidate`. `DEVICE` is `"cuda"` or `"cpu"`: where the
tensors of this machine's toolchain live.
"""

from __future__ import annotations

import importlib
from typing import Any

# Looked up when first used: importing the course is quick, and works wherever only a part of it is needed.
_HOME = {
    "DEVICE": "course.device",
    "load_inline": "course.build",
    "bet": "course.notebook.bets",
    "check": "course.notebook.check",
    "compare": "course.notebook.compare",
    "held_against": "course.notebook.tables",
    "include_path": "course.build",
    "pictures": "course.notebook",
    "tally": "course.notebook.tally",
    "trace": "course.notebook.trace",
}

__all__ = [*_HOME]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'course' has no attribute {name!r}")
    _refuse_machine()
    home = importlib.import_module(_HOME[name])
    return getattr(home, name, None) or importlib.import_module(f"{_HOME[name]}.{name}")  # a value, or a module


def __dir__() -> list[str]:
    return __all__  # what a notebook completes `course.` to


def load_ipython_extension(shell: Any) -> None:
    """What `%load_ext course` calls."""
    _refuse_machine()
    from course.notebook.magics import load_magics

    load_magics(shell)


def _refuse_machine() -> None:
    """Raise CourseError if the course cannot work, before an import fails with a less clear message."""
    from course.device import platform_problem
    from course.errors import CourseError

    if problem := platform_problem():
        raise CourseError(problem)
    from course.toolchains.pytorch import pytorch_problem  # imports PyTorch, as all that follows does

    if problem := pytorch_problem():
        raise CourseError(problem)
