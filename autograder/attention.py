"""Finds the submissions that an instructor should look at: `autograder grade` and `autograder report` list the same."""

from __future__ import annotations

import difflib
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from nbgrader import utils

from autograder.judging.jobs import Asked, Judgement, timed_out
from autograder.plugins.judge_answers import asked_in
from autograder.plugins.save_marks import new_answer

if TYPE_CHECKING:
    from autograder.grade import Course, Submission

Judgements = Mapping[tuple[str, str, str], Judgement]  # by student, notebook and question
MOST_GUESSES = 3  # names that a "did you mean" lists


@dataclass(frozen=True, order=True)
class Look:
    """One reason to look at a submission. `questions` are the graded cells that it is about, if not the whole."""

    student: str
    notebook: str
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
    unmarked: Iterable[Submission] = (),
) -> list[Look]:
    """Everything about an assignment that an instructor should look at, in the order of students.

    Parameters
    ----------
    course, assignment
        The course, and the name of one of its assignments.
    submissions
        What `course.submissions` found.
    judgements
        What `judgements_of` found; None if judgements that are missing should not be reported.
    student
        Only this student; "" means everyone who handed in the assignment.
    unmarked
        The submissions that nbgrader has just failed to mark.

    Returns
    -------
    list of Look
        At most one for each student, notebook and reason.
    """
    names = [student] if student else course.students(assignment)
    found = [*_of_folders(course, assignment, submissions, names), *_of_answers(submissions, judgements)]
    found += [*_of_gradebook(course, assignment, submissions), *_late_together(submissions, judgements)]
    found += [Look(each.student, each.notebook, "nbgrader could not mark it: see the log") for each in unmarked]
    questions: dict[tuple[str, str, str], dict[str, None]] = defaultdict(dict)
    for look in found:
        questions[look.student, look.notebook, " ".join(look.reason.split())] |= dict.fromkeys(look.questions)
    return sorted(Look(*where, tuple(names)) for where, names in questions.items())


def judgements_of(course: Course, submissions: Iterable[Submission]) -> Judgements:
    """The stored judgements. Any machine may have made them."""
    kept = course.store.newest()
    return {
        (each.student, each.notebook, name): judgement
        for each in submissions
        for asked in asked_in(each.taken).values()
        for name, judgement in kept.get(asked, {}).items()
    }


def did_you_mean(name: str, known: Iterable[str]) -> list[str]:
    """The names among `known` that `name` may stand for: those that it contains as a word, or those like it."""
    by_text = {each.casefold(): each for each in known}
    text = name.casefold()
    near = [each for each in by_text if re.search(rf"(?<!\w){re.escape(each)}(?!\w)", text)]
    near = near or difflib.get_close_matches(text, by_text, n=MOST_GUESSES)
    return [by_text[each] for each in near[:MOST_GUESSES]]


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
            yield Look(name, "", "not graded, since nbgrader cannot record such a name: rename the student's folder")
            continue
        for problem in course.receipt("submitted", assignment, name).problems:
            yield Look(name, "", problem)
        if listed and name not in listed:
            near = did_you_mean(name, listed)
            hint = f" (did you mean {' or '.join(near)}?)" if near else ""
            yield Look(
                name,
                "",
                f"not in the list of students{hint}: rename the folder, or run `nbgrader db student add STUDENT "
                "--last-name=NAME`",
            )


def _of_answers(submissions: Iterable[Submission], judgements: Judgements | None) -> Iterator[Look]:
    """Answers that could not be taken, or only on an assumption, and what the judge flagged."""
    for each in submissions:
        answers = {
            cell.metadata.nbgrader.grade_id: cell.metadata.get("course", {})
            for cell in filter(utils.is_solution, each.taken.cells)
        }
        for cell in filter(utils.is_grade, each.taken.cells):
            name = cell.metadata.nbgrader.grade_id
            if not (answer := cell.metadata.get("course", {}).get("answer")):
                continue
            of = answers[answer]
            reasons = [of[key] for key in ("problem", "assumed") if of.get(key)]
            if judgement := (judgements or {}).get((each.student, each.notebook, name)):
                reasons += judgement.flags
            elif judgements is not None and not of.get("problem"):
                reasons.append("no judgement is stored: the judge failed, or `autograder grade` must be run again")
            yield from (Look(each.student, each.notebook, reason, (name,)) for reason in reasons)


def _of_gradebook(course: Course, assignment: str, submissions: Iterable[Submission]) -> Iterator[Look]:
    """Answers that the gradebook wants to be marked by hand."""
    notebooks = {(each.student, each.notebook) for each in submissions}
    with course.gradebook() as gradebook:
        for submission in gradebook.assignment_submissions(assignment):
            for notebook in submission.notebooks:
                for grade in notebook.grades:
                    if grade.needs_manual_grade and (submission.student.id, notebook.name) in notebooks:
                        reason = new_answer(grade) or "must be marked by hand"
                        yield Look(submission.student.id, notebook.name, reason, (grade.name,))


def _late_together(submissions: Iterable[Submission], judgements: Judgements | None) -> Iterator[Look]:
    """Answers that timed out and that several students handed in."""
    found: dict[Asked, list[Look]] = defaultdict(list)
    for each in submissions:
        for asked in asked_in(each.taken).values():
            names = tuple(question.name for question in asked[1])
            stored = {name: (judgements or {}).get((each.student, each.notebook, name)) for name in names}
            if timed_out({name: judgement for name, judgement in stored.items() if judgement}):
                found[asked].append(Look(each.student, each.notebook, "", names))
    for looks in found.values():
        reason = f"the same answer of {len(looks)} students timed out: if it is right, judge it with --again"
        yield from (replace(look, reason=reason) for look in looks if len(looks) > 1)
