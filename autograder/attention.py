"""Finds the submissions that an instructor should look at: `autograder grade` and `autograder report` list the same."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from nbgrader import utils

from autograder.cells import about, answers_in
from autograder.gradebook import Course, Grade, Recorded, did_you_mean
from autograder.judging.jobs import Judgement
from autograder.plugins.judge_answers import asked_in

if TYPE_CHECKING:
    from autograder.grade import Submission

Judgements = Mapping[tuple[str, str], Judgement]  # by student and question


@dataclass(frozen=True, order=True)
class Look:
    """One reason to look at a submission. `questions` are the graded cells that it is about, if not the whole."""

    student: str
    reason: str
    questions: tuple[str, ...] = ()

    def __str__(self) -> str:
        of = f" ({', '.join(self.questions)})" if self.questions else ""
        return f"{self.student if self.student.isprintable() else repr(self.student)}{of}: {self.reason}"


def needing_attention(
    course: Course,
    assignment: str,
    submissions: Collection[Submission],
    judgements: Judgements | None,
    *,
    student: str = "",
    failed: Iterable[Submission] = (),
) -> list[Look]:
    """Everything about an assignment that an instructor should look at, in the order of students.

    Each student and reason is listed once. If `judgements` is None, missing judgements are not reported. If
    `student` is given, only this student is looked at. `failed` are the submissions whose marks or pages nbgrader has
    just failed to write.
    """
    names = [student] if student else course.students(assignment)
    found = [*_of_folders(course, assignment, submissions, names), *_of_answers(submissions, judgements)]
    found += _of_gradebook(course.recorded(assignment), submissions, names, student)
    failures = "its mark or its page could not be written: see the log"
    found += [Look(each.student, failures) for each in failed]
    questions: dict[tuple[str, str], dict[str, None]] = defaultdict(dict)
    for look in found:
        questions[look.student, " ".join(look.reason.split())] |= dict.fromkeys(look.questions)
    return sorted(Look(*where, tuple(names)) for where, names in questions.items())


def judgements_of(course: Course, submissions: Iterable[Submission]) -> Judgements:
    """The stored judgements. Any machine may have made them."""
    kept = course.store.newest()
    return {
        (each.student, name): kept[asked]
        for each in submissions
        for name, asked in asked_in(each.taken).items()
        if asked in kept
    }


def _of_folders(
    course: Course, assignment: str, submissions: Iterable[Submission], names: Iterable[str]
) -> Iterator[Look]:
    """Folders of students that nbgrader cannot record, or that are not in the list of students, and bad receipts."""
    recorded = {each.student for each in submissions}
    with course.gradebook() as gradebook:
        # Grading enters each folder's name as a student without a name of a person.
        listed = {each.id for each in gradebook.students if each.first_name or each.last_name or each.email}
    for name in names:
        if name not in recorded:
            yield Look(name, "not graded, since nbgrader cannot record such a name: rename the student's folder")
            continue
        for problem in course.receipt("submitted", assignment, name).problems:
            yield Look(name, problem)
        if listed and name not in listed:
            near = did_you_mean(name, listed)
            hint = f" ({near})" if near else ""
            yield Look(
                name,
                f"not in the list of students{hint}: rename the folder, or run `nbgrader db student add STUDENT "
                "--last-name=NAME`",
            )


def _of_answers(submissions: Iterable[Submission], judgements: Judgements | None) -> Iterator[Look]:
    """Answers that could not be taken, or only on an assumption, and what the judge flagged."""
    for each in submissions:
        answers = answers_in(each.taken)
        for cell in filter(utils.is_grade, each.taken.cells):
            name = cell.metadata.nbgrader.grade_id
            if not (answer := answers.get(about(cell, "answer") or name)):
                continue
            reasons = [text for key in ("problem", "assumed") if (text := about(answer, key))]
            if judgement := (judgements or {}).get((each.student, name)):
                reasons += judgement.flags
            elif judgements is not None and not about(answer, "problem") and not utils.is_solution(cell):
                reasons.append("no judgement is stored: the judge failed, or `autograder grade` must be run again")
            yield from (Look(each.student, reason, (name,)) for reason in reasons)


def _of_gradebook(
    recorded: Iterable[Recorded], submissions: Iterable[Submission], names: Collection[str], student: str
) -> Iterator[Look]:
    """Answers that the gradebook wants to be marked by hand, and marks of submissions that are gone."""
    students = {each.student for each in submissions}
    for each in recorded:
        if each.student in students:
            yield from (Look(each.student, _by_hand(grade), (grade.name,)) for grade in each.grades if grade.waits)
        elif each.marked and each.student not in names and not student:
            yield Look(each.student, "has a mark, but the submission that it is for is gone")


def _by_hand(grade: Grade) -> str:
    """Why an instructor must mark an answer: it has no mark, or one by hand that is for an older answer."""
    if grade.unmarked:
        return "must be marked by hand"
    automatic = "" if grade.automatic is None else f", and the automatic mark is {grade.automatic:g}"
    mark = f"{grade.by_hand:g} of {grade.points:g}"
    return f"new answer: the mark by hand, {mark}, is for an older answer{automatic}"
