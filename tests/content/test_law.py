"""No kernel that a notebook shows before an exercise earns all points of the exercise."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from autograder.classroom import ROOT, Classroom
from autograder.judging.jobs import Asked
from course.build import bindable_functions
from course.text.cuda import CudaText
from course.worker.protocol import Answer
from tests.exercises import asked, refusal
from tests.tiers import tiered

# Earlier kernels that may earn all points of an exercise, as "cell: module.function", and why.
EXCEPTIONS: dict[str, str] = {}


def parameters(answer: Answer) -> tuple[str, ...]:
    """The types of the parameters of an answer's function, as the source has them, without `const` and `&`."""
    found = next(f for f in CudaText.of(answer.source).functions if f.name == answer.function)
    return tuple(each.type.replace("const ", "").strip() for each in found.parameters)


def kernels_before_answers(name: str) -> dict[str, dict[str, Answer]]:
    """For each `%%cuda` cell of a notebook that is an answer: the kernels above it, by module and function."""
    found: dict[str, dict[str, Answer]] = {}
    before: dict[str, Answer] = {}
    for cell in Classroom(ROOT).read("solutions", name).cells:
        if cell.cell_type != "code" or not cell.source.startswith("%%cuda"):
            continue
        if answer := cell.metadata.get("nbgrader", {}).get("grade_id"):
            found[answer] = dict(before)
        module = cell.source.split(maxsplit=2)[1]
        text = Answer.of_cell(cell.source, "")
        before |= {f"{module}.{each}": replace(text, function=each) for each in bindable_functions(text.source)}
    return found


def faults(earlier: dict[str, Answer], exercise: list[Asked]) -> Iterator[str]:
    """The earlier kernels with the parameters of the exercise's function that are right in all its questions."""
    (answer, _), *_ = exercise
    for name, each in earlier.items():
        if parameters(each) == parameters(answer) and not refusal((each, question) for _, question in exercise):
            yield name


@pytest.mark.parametrize("name", tiered(Classroom(ROOT).assignments, lambda name: {"04-tiled-matmul"} & {name}))
def test_no_earlier_kernel_of_a_notebook_earns_all_points_of_a_later_exercise(name):
    exercises = asked(name)
    found = [
        f"{cell}: {each}"
        for cell, earlier in kernels_before_answers(name).items()
        if cell in exercises
        for each in faults(earlier, exercises[cell])
    ]
    assert set(found) <= EXCEPTIONS.keys()
