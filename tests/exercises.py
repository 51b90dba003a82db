"""The answers of `solutions/`, each with all questions about it, and what those questions say of another answer."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

import nbformat

from autograder.cells import about, graded
from autograder.classroom import ROOT
from autograder.judging.jobs import Asked, Job, judge_job
from autograder.plugins.judge_answers import asked_in
from autograder.plugins.take_answers import read_submission, with_answers


@cache
def asked(notebook: str) -> dict[str, list[Asked]]:
    """Each answer of a notebook of `solutions/` with each question about it, by the names of the answers' cells."""
    path = ROOT / "solutions" / notebook / f"{notebook}.ipynb"
    taken = with_answers(nbformat.read(path, as_version=4), read_submission(path), path.parent)
    found: dict[str, list[Asked]] = {}
    for cell in graded(taken):
        found.setdefault(about(cell, "answer"), []).append(asked_in(taken)[cell.metadata.nbgrader.grade_id])
    return found


def refusal(exercise: Iterable[Asked]) -> str:
    """What the first of these questions that its answer does not earn says of it; "" if all are earned."""
    for answer, question in exercise:
        judgement = judge_job(Job(answer, question, "emulator", sandbox=False))
        if not judgement.correct:
            return judgement.verdict.get("message") or judgement.reason
    return ""
