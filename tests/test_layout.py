"""The layout: who may import whom."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from autograder.classroom import ROOT

pytestmark = pytest.mark.quick

# Files and packages directly in course/, and the autograder: each may import only the ones after it.
LAYERS = (
    *("autograder", "cli", "doctor", "notebook", "referee", "worker", "build", "toolchains", "explain", "text"),
    *("tasks", "recorded", "measure", "device", "progress", "html", "errors", "prepare"),
)

# Within `course/toolchains`, in the same way.
TOOLCHAINS = ("operators", "nvcc", "emulator", "native", "shim", "guard")
TOOLCHAINS += ("compiler", "pytorch", "depfiles", "cache", "time_limit", "base")


def layer(module: str) -> str:
    """The layer of a dotted module name; "" for `course` itself, and for modules outside the project."""
    package, _, rest = module.partition(".")
    return package if package == "autograder" else rest.partition(".")[0] if package == "course" else ""


def imported_modules(path: Path) -> set[str]:
    """The dotted names of all modules and names that a file imports, anywhere in it."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom):
            assert not node.level, f"{path} has a relative import"
            found |= {f"{node.module}.{each.name}" for each in node.names}
        elif isinstance(node, ast.Import):
            found |= {each.name for each in node.names}
    return found


def imported_layers(path: Path) -> set[str]:
    """The layers that a file imports."""
    return {layer(name) for name in imported_modules(path)} - {""}


def test_nothing_imports_upward() -> None:
    """So there is no cycle between layers, which are in order. `course/__init__.py` imports names when used."""
    seen, upward = set(), []
    for path in sorted([*ROOT.glob("course/**/*.py"), *ROOT.glob("autograder/**/*.py")]):
        here = layer(".".join(path.relative_to(ROOT).with_suffix("").parts))
        if here != "__init__":
            seen.add(here)
            below = LAYERS[LAYERS.index(here) :]
            upward += [f"{path.relative_to(ROOT)} imports {each}" for each in imported_layers(path) - set(below)]
    assert upward == [] and seen == set(LAYERS) and len(LAYERS) <= 18


def test_no_toolchain_imports_upward() -> None:
    folder, start = ROOT / "course" / "toolchains", "course.toolchains."
    seen, upward = set(), []
    for path in sorted(folder.glob("*/*.py")) + sorted(folder.glob("[a-z]*.py")):
        here = path.relative_to(folder).parts[0].removesuffix(".py")
        seen.add(here)
        imported = {name.removeprefix(start).split(".")[0] for name in imported_modules(path) if name.startswith(start)}
        upward += [f"{path.name} imports {each}" for each in imported - set(TOOLCHAINS[TOOLCHAINS.index(here) :])]
    assert upward == [] and seen == set(TOOLCHAINS)


@pytest.mark.parametrize(
    "unit", ["course/toolchains/emulator/runtime/runtime.cpp", "course/toolchains/shim/src/shim.cpp"]
)
def test_a_unit_includes_every_source_beside_it(unit: str) -> None:
    path = ROOT / unit
    assert set(re.findall(r'^#include "(.+)"$', path.read_text(), re.MULTILINE)) == {
        each.name for each in path.parent.glob("*.cpp") if each != path
    }
