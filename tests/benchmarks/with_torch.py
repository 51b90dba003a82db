"""Builds every `%%cuda` cell of the solutions and judges every answer with PyTorch's own load_inline. Needs a GPU.

A build takes half a minute, so each processor core runs one at a time, and all fill the build cache. With
`COURSE_TOOLCHAIN=torch`, the notebooks then run in a minute or two: `python -m tests.benchmarks.with_torch &&
COURSE_TOOLCHAIN=torch pytest tests/content/test_notebooks.py -k top_to_bottom`. If notebooks are named as arguments,
only these are built and judged.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from functools import partial
from multiprocessing import get_context

import nbformat

from course.build import bindable_functions, load_inline
from course.errors import CourseError
from course.referee.judge import judge
from course.worker.protocol import Answer
from tests.benchmarks.kernels import ROOT


def built(name: str, source: str) -> str:
    """Build one cell. Returns a line that says how it went; a patient of a clinic may fail."""
    try:
        load_inline(name, cuda_sources=source, functions=bindable_functions(source), toolchain="torch")
    except CourseError as error:
        return f"{name}: {str(error).splitlines()[0]}"
    return f"{name}: built"


def judged(name: str, answer: Answer, task: str) -> str:
    """Judge one answer on its visible cases; a line that says how it went. Raises RuntimeError if it is wrong."""
    verdict = judge(answer, task, toolchain="torch")
    if not verdict.correct:
        raise RuntimeError(f"{name}: {verdict.message}")
    return f"{name}: right in {len(verdict.cases)} cases"


def jobs(names: list[str]) -> Iterator[Callable[[], str]]:
    """The answers to be judged and the other cells to be built, of the named notebooks or, if none is named, of all."""
    for path in sorted(ROOT.glob("solutions/*/*.ipynb")):
        if names and path.stem not in names:
            continue
        cells = nbformat.read(path, as_version=4).cells
        questions = {cell.metadata.course.answer: cell.metadata.course for cell in cells if "course" in cell.metadata}
        for cell in cells:
            grade_id = cell.metadata.get("nbgrader", {}).get("grade_id")
            text = cell.source + "\n"  # as IPython hands it to a cell magic: the build cache compares every character
            if grade_id in questions and text.startswith(("%%cuda", "%%candidate")):
                question = questions[grade_id]
                yield partial(judged, cell.id, Answer.of_cell(text, question.function), question.task)
            elif text.startswith("%%cuda"):
                yield partial(built, cell.id, Answer.of_cell(text, "").source)


def main() -> int:
    """Do all jobs, and print a line for each as it ends. Returns 1 if an answer is not right."""
    wrong = 0
    # Processes, since a judge sets PyTorch's default dtype. Spawned, not forked, since each makes workers of its own.
    with ProcessPoolExecutor(len(os.sched_getaffinity(0)), mp_context=get_context("spawn")) as pool:
        for job in as_completed([pool.submit(job) for job in jobs(sys.argv[1:])]):
            try:
                line = job.result()
            except Exception as error:
                line, wrong = f"NOT RIGHT: {error}", wrong + 1
            print(line, flush=True)
    print(f"{wrong} answers are not right." if wrong else "Every answer is right.")
    return min(wrong, 1)


if __name__ == "__main__":
    sys.exit(main())
