"""Judges the answers of a notebook afresh: the autograder's own step in the place of nbgrader's `Execute`."""

from __future__ import annotations

import html
import importlib
import os
import traceback
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor

from nbformat.notebooknode import NotebookNode
from nbformat.v4 import new_output
from nbgrader import utils
from nbgrader.preprocessors import NbGraderPreprocessor

from course.build import default_toolchain
from course.cells import Mark
from course.judge import judge
from course.toolchains.base import CourseError
from course.verdict import Verdict
from course.worker import Answer


class JudgeAnswers(NbGraderPreprocessor):
    """Gives every graded cell, as its only output, the mark of the answer it names and the verdict behind it.

    Works on the notebook that `TakeAnswers` made. Nothing in it is executed here: `course.judge` runs the text of one
    answer at a time in a worker. Each question fails alone; only what is no answer's fault (a machine or a task that
    cannot be judged with, a graded cell that names no answer) leaves the notebook ungraded, since marks would be wrong.
    """

    def preprocess(self, nb: NotebookNode, resources: dict) -> tuple[NotebookNode, dict]:
        """`nb` with marks. Raises CourseError for what is no answer's fault."""
        ids = resources["nbgrader"]
        answers = {cell.metadata.nbgrader.grade_id: cell for cell in nb.cells if utils.is_solution(cell)}
        questions: dict[str, list[NotebookNode]] = {name: [] for name in answers}
        for cell in nb.cells:
            if not utils.is_grade(cell) or utils.is_solution(cell):
                continue
            answer = cell.metadata.get("course", {}).get("answer")
            if answer not in answers:
                name = cell.metadata.nbgrader.grade_id
                raise CourseError(f"Graded cell {name} of {ids['notebook']} names no answer in its `course` metadata.")
            questions[answer].append(cell)

        def mark_all(answer: str) -> list[tuple[str, Mark]]:
            # One after another: the first has the answer built, the others find that in the cache.
            return [self._mark(cell, answers[answer]) for cell in questions[answer]]

        with ThreadPoolExecutor(at_once()) as pool:
            for marks in pool.map(mark_all, questions):
                for name, mark in marks:
                    print(f"  {ids['student']:12} {name:28} {mark:g} of {mark.points:g}", flush=True)
        return nb, resources

    def _mark(self, cell: NotebookNode, answer: NotebookNode) -> tuple[str, Mark]:
        """The name of a graded cell and the mark that `answer` earns there, which becomes the cell's output."""
        correct, reason = self._judge(answer, cell.metadata.course)
        mark = Mark(float(cell.metadata.nbgrader.points), correct, "", reason)
        # nbgrader's scorer reads the number out of text/plain
        cell.outputs = [new_output("execute_result", {"text/plain": repr(mark), "text/html": mark._repr_html_()})]
        return cell.metadata.nbgrader.grade_id, mark

    def _judge(self, cell: NotebookNode, question: Mapping[str, str]) -> tuple[bool, str]:
        """Whether the answer in `cell` is correct, and the HTML that says why."""
        if problem := cell.metadata.get("course", {}).get("problem"):
            return False, _paragraph(problem)
        try:
            answer = Answer.of_cell(cell.source, question["function"])
            if question["cases"] == "visible":
                verdict = judge(answer, question["task"])
                return verdict.correct, verdict._repr_html_()
            hidden = importlib.import_module(f"autograder.hidden.{question['task']}")
            verdict = judge(answer, question["task"], cases=hidden.CASES)
            return verdict.correct, _paragraph(hidden_summary(verdict))
        except CourseError:  # what is wrong with the answer stands in a verdict
            raise
        except Exception:
            self.log.error("The judge failed on an answer, which gets 0 points:\n%s", traceback.format_exc())
            return False, _paragraph("The judge failed on this answer: tell your instructor, whose log has the error.")


def at_once() -> int:
    """How many answers or notebooks may run at once: one a core, but one alone on a GPU, whose memory they share."""
    return len(os.sched_getaffinity(0)) if default_toolchain() == "emulator" else 1


def hidden_summary(verdict: Verdict) -> str:
    """How many hidden cases passed and what kind of mistake was seen, in words that give no input away.

    What the answer printed or raised is left out too: it could carry the inputs.
    """
    if not verdict.cases:
        return "No hidden case was run, since the answer did not build or load."
    kinds = sorted({hazard.kind for hazard in verdict.hazards}) + sorted({case.mistake for case in verdict.failed})
    mistake = f" Kind of mistake: {', '.join(kinds)}." if kinds else ""
    return f"{len(verdict.cases) - len(verdict.failed)} of {len(verdict.cases)} hidden cases passed.{mistake}"


def _paragraph(text: str) -> str:
    return f"<p>{html.escape(text)}</p>"
