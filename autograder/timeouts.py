"""Finds out whether answers of a class time out because the machine is too slow."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import TYPE_CHECKING

import nbformat

from autograder.judging.jobs import Asked, Job, Question, timed_out
from autograder.plugins.judge_answers import asked_in, jobs_in
from autograder.plugins.take_answers import read_submission, with_answers

if TYPE_CHECKING:
    from autograder.grade import Course, Submission


def solutions(course: Course, assignment: str) -> dict[tuple[Question, ...], Job]:
    """The jobs of the instructor's own answers to an assignment, by their questions."""
    found: dict[tuple[Question, ...], Job] = {}
    for path in course.path("source", assignment).glob("*.ipynb"):
        taken = with_answers(nbformat.read(path, as_version=4), read_submission(path), path.parent)
        found |= {job.questions: job for job in jobs_in(taken, course.sandbox, course.toolchain).values()}
    return found


def late_together(course: Course, submissions: Iterable[Submission]) -> list[str]:
    """A sentence for each answer that timed out and that several students handed in."""
    students: dict[tuple[str, Asked], list[str]] = defaultdict(list)
    for each in submissions:
        for name, asked in asked_in(each.taken).items():
            students[name, asked].append(each.student)
    kept = course.store.newest()
    return [
        f"{name}: the same answer of {len(names)} students timed out ({', '.join(names)}). If it is right, this "
        "machine was too slow: judge it again with --again."
        for (name, asked), names in students.items()
        if len(names) > 1 and timed_out(kept.get(asked, {}))
    ]
