"""No kernel that a notebook shows before an exercise earns all points of the exercise."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import pytest
from IPython.core.interactiveshell import InteractiveShell

import course
from autograder.classroom import ROOT, Classroom
from autograder.judging.jobs import Asked
from course.build import Function, Module
from course.notebook.answers import answer_of
from course.text.cuda import CudaText
from tests.exercises import asked, refusal

# Earlier kernels that may earn all points of an exercise, as "cell: module.function", and why.
EXCEPTIONS: dict[str, str] = {}


class Earlier(NamedTuple):
    """A kernel of a notebook: the name under which a cell keeps its module, and its function."""

    module: str
    function: Function

    def __str__(self) -> str:
        return f"{self.module}.{self.function.name}"


def parameters(source: str, function: str) -> tuple[str, ...]:
    """The types of a function's parameters, as the source has them, without `const` and `&`."""
    found = next(f for f in CudaText.of(source).functions if f.name == function)
    return tuple(each.type.replace("const ", "").strip() for each in found.parameters)


def functions(module: Module) -> dict[str, Function]:
    return {name: getattr(module, name) for name in module._functions}


def kernels_before_answers(name: str) -> dict[str, list[Earlier]]:
    """For each `%%cuda` cell of a notebook that is an answer: the kernels of the cells above it."""
    shell = InteractiveShell()
    course.load_ipython_extension(shell)
    found: dict[str, list[Earlier]] = {}
    before: dict[str, Earlier] = {}
    for cell in Classroom(ROOT).read("solutions", name).cells:
        if cell.cell_type != "code" or not cell.source.startswith("%%cuda"):
            continue
        if answer := cell.metadata.get("nbgrader", {}).get("grade_id"):
            found[answer] = list(before.values())
        modules = dict(shell.user_ns)
        shell.run_cell(cell.source, silent=True)
        for module, value in shell.user_ns.items():
            if isinstance(value, Module) and modules.get(module) is not value:
                before |= {f"{module}.{each}": Earlier(module, f) for each, f in functions(value).items()}
    return found


def faults(earlier: list[Earlier], exercise: Asked) -> Iterator[str]:
    """The earlier kernels with the parameters of the exercise's function that are right in all its questions."""
    answer, questions = exercise
    own = parameters(answer.source, answer.function)
    for each in earlier:
        named = [replace(question, function=each.function.name) for question in questions]
        same = parameters(each.function.source, each.function.name) == own
        if same and not refusal(answer_of(each.function), named):
            yield str(each)


@pytest.mark.slow
@pytest.mark.parametrize("name", Classroom(ROOT).assignments)
def test_no_earlier_kernel_of_a_notebook_earns_all_points_of_a_later_exercise(name, monkeypatch):
    monkeypatch.setenv("COURSE_TOOLCHAIN", "emulator")
    exercises = asked(name)
    found = [
        f"{cell}: {each}"
        for cell, earlier in kernels_before_answers(name).items()
        if cell in exercises
        for each in faults(earlier, exercises[cell])
    ]
    assert set(found) <= EXCEPTIONS.keys()
