"""The answers of `solutions/`, each with all questions about it, and what those questions say of another answer."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import nbformat

from autograder.classroom import ROOT
from autograder.judging.jobs import Asked, Job, Question, judge_job
from autograder.plugins.judge_answers import asked_in
from autograder.plugins.take_answers import read_submission, with_answers
from course.worker.protocol import Answer


@cache
def asked(notebook: str) -> dict[str, Asked]:
    """The answers of a notebook of `solutions/` with their questions, visible and hidden, by the names of the cells."""
    path = ROOT / "solutions" / notebook / f"{notebook}.ipynb"
    return asked_in(with_answers(nbformat.read(path, as_version=4), read_submission(path), path.parent))


def refusal(answer: Answer, questions: Sequence[Question]) -> str:
    """What the first of these questions that an answer does not earn says of it; "" if it earns them all."""
    for question in questions:
        judgement = judge_job(Job(answer, (question,), "emulator", sandbox=False))[question.name]
        if not judgement.correct:
            return judgement.verdict.get("message") or judgement.reason
    return ""
