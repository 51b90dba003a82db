"""The least times of the recorded kernels beside their times: `python -m tests.benchmarks.limits [NOTEBOOK ...]`.

Runs the solutions without a GPU, except their checks and traces, and counts what each kernel of a `compare` cell asks
of a card, also the course's own, of which a learner sees no least time. A ratio above 1 means that the bound does not
hold.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Mapping

import nbformat
from IPython.core.interactiveshell import InteractiveShell

os.environ["COURSE_TOOLCHAIN"] = "emulator"

import course
from autograder.classroom import ROOT, Classroom
from course import recorded
from course.explain.limits import two_digits
from course.measure import Timings
from course.notebook.answers import answer_of
from course.notebook.compare import Comparison
from course.notebook.estimate import Estimates, estimate
from course.tasks import load_task

Row = tuple[str, str, float, str, str, float]


class Counting:
    """Stands in for `compare`, and keeps a row for each recorded kernel."""

    def __init__(self) -> None:
        self.rows: dict[tuple[str, str], Row] = {}
        self.missing: list[str] = []

    def __call__(self, functions: Mapping[str, object], *, task: str, size: str | None = None) -> Comparison:
        known = recorded.read(task)
        if known:
            self._count(functions, task, known)
        return Comparison(task, None, False, {})

    def _count(self, functions: Mapping[str, object], task: str, known: Timings) -> None:
        rules = load_task(task)
        answers = {name: answer_of(f) for name, f in functions.items() if name in known.variants}
        kernels = {name: answer for name, answer in answers.items() if answer.kind == "cuda"}
        small = rules.sized(rules.named_sizes[-1][1])
        found: Estimates = estimate(small, kernels, known.sizes)
        self.missing += [f"{task}, {name}: {reason}" for name, reason in found.uncounted.items()]
        for name, demand in found.demands.items():
            bound = demand.bound()
            then = f"{bound.limits[1].name} {two_digits(bound.limits[1].ms)}" if bound.limits[1:] else ""
            self.rows[task, name] = (task, name, known.variants[name].median_ms, bound.binding, then, bound.ms)


def run(notebook: str, counting: Counting) -> None:
    """Run the code cells of a solution, with `compare` replaced, and without checks and pictures."""
    shell = InteractiveShell()
    course.load_ipython_extension(shell)
    skipped = dict.fromkeys(("sweep", "check", "tally", "held_against", "picture", "bet"), lambda *args, **kwargs: None)
    shell.push({**skipped, "compare": counting, "gpu": None, "capability": None})
    cells = nbformat.read(ROOT / "solutions" / notebook / f"{notebook}.ipynb", as_version=4).cells
    for cell in cells:
        if cell.cell_type == "code" and "from course import" not in cell.source:
            shell.run_cell(cell.source, silent=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("notebooks", nargs="*")
    options = parser.parse_args()
    counting = Counting()
    for name in options.notebooks or Classroom(ROOT).assignments:
        print(f"{name} ...", file=sys.stderr, flush=True)
        run(name, counting)
    print("| task | variant | recorded | bound | ratio | binds | then |\n|---|---|---:|---:|---:|---|---|")
    for task, name, recorded_ms, binding, then, ms in counting.rows.values():
        times = f"{recorded_ms:.3g} | {two_digits(ms)} | {ms / recorded_ms:.2f}"
        print(f"| {task} | {name} | {times} | {binding} | {then} |")
    print(*counting.missing, sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
