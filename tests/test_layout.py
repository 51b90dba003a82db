"""The layout: who may import whom, and how long files, classes and lists of parameters may be."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from autograder.classroom import ROOT
from course.tasks import PROBLEMS

PYTHON_LINES, CPP_LINES, CLASS_LINES, PARAMETERS = 450, 650, 250, 6

# Files and packages directly in course/, and the autograder: each may import only the ones after it.
LAYERS = (
    *("autograder", "cli", "doctor", "notebook", "referee", "worker", "build", "toolchains", "explain", "text"),
    *("tasks", "recorded", "torch_state", "measure", "device", "progress", "html", "errors"),
)

# Within `course/toolchains`, in the same way.
TOOLCHAINS = ("torch_extension", "nvcc", "emulator", "native", "shim", "guard")
TOOLCHAINS += ("compiler", "brackets", "cuda_text", "pytorch", "depfiles", "cache")
TOOLCHAINS += ("shared_cache", "time_limit", "base")


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
    assert upward == [] and seen == set(LAYERS) and len(LAYERS) <= 17


def test_no_toolchain_imports_upward() -> None:
    folder, start = ROOT / "course" / "toolchains", "course.toolchains."
    seen, upward = set(), []
    for path in sorted(folder.glob("*/*.py")) + sorted(folder.glob("[a-z]*.py")):
        here = path.relative_to(folder).parts[0].removesuffix(".py")
        seen.add(here)
        imported = {name.removeprefix(start).split(".")[0] for name in imported_modules(path) if name.startswith(start)}
        upward += [f"{path.name} imports {each}" for each in imported - set(TOOLCHAINS[TOOLCHAINS.index(here) :])]
    assert upward == [] and seen == set(TOOLCHAINS)


# What exceeds a limit, and why. Add nothing here without a reason.
EXCEPTIONS = {
    "course/build.py: load_inline": "the signature of PyTorch's own",
    "course/referee/judge.py: judge": "notebooks, the command line and the autograder each give other options",
}


def sizes(path: Path) -> Iterator[tuple[str, int, int]]:
    """Each part of a Python file that can be too long: its name, its length, and the limit."""
    text, name = path.read_text(), str(path.relative_to(ROOT))
    yield name, len(text.splitlines()), PYTHON_LINES
    outer: dict[ast.AST, str] = {}
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        own = outer.get(node, "") + node.name
        if isinstance(node, ast.ClassDef):
            yield f"{name}: class {own}", node.end_lineno - node.lineno + 1, CLASS_LINES
            outer |= dict.fromkeys(node.body, f"{own}.")
        else:
            arguments = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
            count = len([each for each in arguments if each.arg not in ("self", "cls")])
            yield f"{name}: {own}", count, PARAMETERS


def test_files_classes_and_parameter_lists_are_short() -> None:
    found = [
        size for folder in ("course", "autograder") for path in ROOT.glob(f"{folder}/**/*.py") for size in sizes(path)
    ]
    for path in (path for suffix in ("h", "cpp", "cuh") for path in ROOT.glob(f"course/**/*.{suffix}")):
        found.append((str(path.relative_to(ROOT)), len(path.read_text().splitlines()), CPP_LINES))
    exceeding = {f"{name} ({size}, at most {limit})": name for name, size, limit in found if size > limit}
    assert [text for text, name in exceeding.items() if name not in EXCEPTIONS] == []
    assert set(EXCEPTIONS) <= set(exceeding.values()), "an exception that is no longer needed"


def test_a_file_of_tasks_is_a_whole_problem() -> None:
    """A problem's other cases or sizes are in its VARIANTS. Predictions are in one file, mistakes in another."""
    others = {"__init__", "case", "task", "predictions", "prediction_mistakes", "prediction_hints"}
    assert {path.stem for path in ROOT.glob("course/tasks/*.py")} == {*PROBLEMS, *others}
    for name in PROBLEMS:
        text = (ROOT / "course" / "tasks" / f"{name}.py").read_text()
        assert "\nCASES = " in text and len(text.splitlines()) >= 40, name


@pytest.mark.parametrize(
    "unit", ["course/toolchains/emulator/runtime/runtime.cpp", "course/toolchains/shim/src/shim.cpp"]
)
def test_a_unit_includes_every_source_beside_it(unit: str) -> None:
    path = ROOT / unit
    assert set(re.findall(r'^#include "(.+)"$', path.read_text(), re.MULTILINE)) == {
        each.name for each in path.parent.glob("*.cpp") if each != path
    }
