"""Builds every `%%cuda` cell of the solutions and judges every answer with PyTorch's own load_inline. Needs a GPU.

A build takes half a minute, so one runs for each processor core, into the build cache; `COURSE_TOOLCHAIN=torch` then
runs the notebooks in a minute or two: `python -m tests.benchmarks.with_torch && COURSE_TOOLCHAIN=torch pytest
tests/test_notebooks.py -k top_to_bottom`. Names of notebooks as arguments leave out the other ones' worked examples.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from functools import partial

import nbformat
from nbformat.notebooknode import NotebookNode

from course.judge import judge
from course.toolchains.base import CourseError
from course.worker import Answer
from tests.benchmarks.kernels import ROOT

# As the magic builds it: the cell's text after an empty line in the place of its own.
BUILD = """
import sys
from course.build import bindable_functions, load_inline
from course.toolchains.base import CourseError
source = sys.stdin.read()
try:
    load_inline("cell", cuda_sources=source, functions=bindable_functions(source), toolchain="torch")
except CourseError as error:
    sys.exit(str(error))
"""


def built(cell: NotebookNode) -> str:
    """Build one cell in a process of its own; a line that says how it went, which for a clinic's patient may be ill."""
    command = [sys.executable, "-c", BUILD]
    done = subprocess.run(command, input=text_of(cell), capture_output=True, text=True, cwd=ROOT)
    return f"{cell.id}: {done.stderr.strip().splitlines()[0] if done.returncode else 'built'}"


def judged(answer: NotebookNode, question: NotebookNode) -> str:
    """Judge one answer on its visible cases; a line that says how it went. Raises CourseError where it is not right."""
    kind = answer.source.split(maxsplit=1)[0].removeprefix("%%")
    verdict = judge(Answer(kind, text_of(answer), question.function), question.task, toolchain="torch")
    if not verdict.correct:
        raise CourseError(f"{answer.id}: {verdict.message}")
    return f"{answer.id}: right in {len(verdict.cases)} cases"


def text_of(cell: NotebookNode) -> str:
    return "\n" + cell.source.partition("\n")[2]


def jobs(names: list[str]) -> Iterator[Callable[[], str]]:
    """Each answer to be judged, and each other cell of the named notebooks (of all, if none is named) to be built."""
    for path in sorted(ROOT.glob("solutions/*/*.ipynb")):
        cells = nbformat.read(path, as_version=4).cells
        questions = {cell.metadata.course.answer: cell.metadata.course for cell in cells if "course" in cell.metadata}
        for cell in cells:
            grade_id = cell.metadata.get("nbgrader", {}).get("grade_id")
            if grade_id in questions and cell.source.startswith(("%%cuda", "%%candidate")):
                yield partial(judged, cell, questions[grade_id])
            elif cell.source.startswith("%%cuda") and (not names or path.stem in names):
                yield partial(built, cell)


def main() -> int:
    """Do all, a line each as it ends. Returns 1 where an answer is not right."""
    wrong = 0
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for job in as_completed([pool.submit(job) for job in jobs(sys.argv[1:])]):
            try:
                line = job.result()
            except CourseError as error:
                line, wrong = f"NOT RIGHT: {error}", wrong + 1
            print(line, flush=True)
    print(f"{wrong} answers are not right." if wrong else "Every answer is right.")
    return min(wrong, 1)


if __name__ == "__main__":
    sys.exit(main())
