"""A package `ziglang` whose clang is another program."""

from __future__ import annotations

import os
from pathlib import Path

from autograder.classroom import ROOT


def replaced_clang(folder: Path, program: str) -> str:
    """The PYTHONPATH of a process whose clang is `program`; `folder` gets the package."""
    zig = folder / "ziglang" / "zig"
    zig.parent.mkdir()
    (zig.parent / "__init__.py").touch()
    zig.write_text(program)
    zig.chmod(0o755)
    return f"{folder}{os.pathsep}{ROOT}"
