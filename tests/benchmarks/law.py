"""Earlier kernels that earn all points of a later exercise: `python -m tests.benchmarks.law [NOTEBOOK ...]`.

For each graded kernel, every kernel that the notebook has before it (worked examples, patients, earlier answers), with
the same parameters, is handed in instead. None should be right in all questions about the answer.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import nbformat
import torch
from IPython.core.interactiveshell import InteractiveShell

os.environ["COURSE_TOOLCHAIN"] = "emulator"

import course
from autograder.classroom import ROOT, Classroom
from autograder.judging.jobs import Job, Question, judge_job
from autograder.plugins.judge_answers import asked_in
from autograder.plugins.take_answers import read_submission, with_answers
from course.build import Function, Module
from course.notebook.answers import answer_of
from course.text.cuda import CudaText


class Earlier(NamedTuple):
    """A kernel of a notebook: the name under which a cell keeps its module, and its function."""

    module: str
    function: Function

    def __str__(self) -> str:
        return f"{self.module}.{self.function.name}"


def parameters(function: Function) -> tuple[str, ...]:
    """The types of a function's parameters, as the source has them, without `const` and `&`."""
    found = next(f for f in CudaText.of(function.source).functions if f.name == function.name)
    return tuple(each.type.replace("const ", "").strip() for each in found.parameters)


def kernels_before_answers(name: str) -> dict[str, tuple[Any, list[Earlier]]]:
    """For each cell of a notebook that is an answer: what it binds, and the kernels of the cells above it."""
    shell = InteractiveShell()
    course.load_ipython_extension(shell)
    shown = ("check", "tally", "held_against", "picture", "bet", "compare", "trace", "display")
    shell.push(dict.fromkeys(shown, lambda *args, **kwargs: None) | {"gpu": None, "capability": None, "torch": torch})
    found: dict[str, tuple[Any, list[Earlier]]] = {}
    before: dict[str, Earlier] = {}
    for cell in Classroom(ROOT).read("solutions", name).cells:
        if cell.cell_type != "code" or ("from course import" in cell.source and "def " not in cell.source):
            continue
        modules = {name: value for name, value in shell.user_ns.items() if isinstance(value, Module)}
        shell.run_cell(cell.source, silent=True)
        new = {n: v for n, v in shell.user_ns.items() if isinstance(v, Module) and modules.get(n) is not v}
        if answer := cell.metadata.get("nbgrader", {}).get("grade_id"):
            found[answer] = (new, list(before.values()))
        for module, value in new.items():
            for function in functions(value).values():
                before[f"{module}.{function.name}"] = Earlier(module, function)
    return found


def faults(name: str) -> dict[tuple[str, str], str]:
    """The pairs of an answer and an earlier kernel that is right in all its questions, and the task's names."""
    path = ROOT / "solutions" / name / f"{name}.ipynb"
    asked = asked_in(with_answers(nbformat.read(path, as_version=4), read_submission(path), path.parent))
    found = {}
    for cell, (modules, before) in kernels_before_answers(name).items():
        answer, questions = asked.get(cell, (None, ()))
        if not answer or answer.kind != "cuda":
            continue
        own = next(function for module in modules.values() if (function := functions(module).get(answer.function)))
        for earlier in before:
            if parameters(earlier.function) == parameters(own) and is_right(earlier.function, questions):
                found[cell, str(earlier)] = ", ".join(question.task for question in questions)
    return found


def functions(module: Module) -> dict[str, Function]:
    return {name: getattr(module, name) for name in module._functions}


def is_right(function: Function, questions: Sequence[Question]) -> bool:
    """Whether a function earns the points of all these questions; the first that it does not earn decides."""
    answer = answer_of(function)
    for question in questions:
        job = Job(answer, (replace(question, function=function.name),), "emulator", sandbox=False)
        if not judge_job(job)[question.name].correct:
            return False
    return True


def main() -> int:
    found = {}
    for name in sys.argv[1:] or Classroom(ROOT).assignments:
        print(f"{name} ...", file=sys.stderr, flush=True)
        found |= faults(name)
    for (answer, kernel), tasks in found.items():
        print(f"{answer}: {kernel} earns all points ({tasks})")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
