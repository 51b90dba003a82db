"""CUDA that tests build, trace and judge: a folder belongs to the tests of one subject, a file outside to several.

A file's first line says what its kernels show. The lines `key: value` below it hold what a test expects
of the kernels, and the docstring of that test's file explains the keys.
"""

from __future__ import annotations

from pathlib import Path

from tests import heads
from tests.heads import Headed

FOLDER = Path(__file__).parent


def kernel(name: str) -> str:
    """The text of one file, head included, by its folder and name, as in `kernel("notebook/add")`."""
    return heads.read(FOLDER / f"{name}.cu").source


def kernels(folder: str) -> list[Headed]:
    """Every file of a folder, in the order of the file names."""
    return heads.read_all(FOLDER / folder)


def joined(folder: str) -> str:
    """All files of a folder as one source, for a single build. `shared.cuh`, which they may include, comes first."""
    shared = FOLDER / folder / "shared.cuh"
    first = [shared.read_text(encoding="utf-8")] if shared.exists() else []
    return "\n".join([*first, *(file.source.replace('#include "shared.cuh"\n', "") for file in kernels(folder))])
