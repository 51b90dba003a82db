"""Deletes stored judgements that no submission needs any more."""

from __future__ import annotations

from autograder.grade import Course, one_at_a_time
from autograder.judging.jobs import Asked
from autograder.plugins.judge_answers import asked_in
from course.errors import CourseError


def prune(course: Course) -> int:
    """Keep the newest judgements of each answer that is handed in, in any assignment, and delete all others.

    Returns how many files were deleted. Marks and pages do not change. Raises CourseError if another command writes
    the gradebook, if a solution cannot be read, or if nothing was handed in.
    """
    asked: set[Asked] = set()
    with one_at_a_time(course):
        for assignment in course.assignments():
            if course.students(assignment):
                asked.update(
                    each for found in course.submissions(assignment) for each in asked_in(found.taken).values()
                )
        if not asked:
            raise CourseError("Nothing was handed in, so no judgement was deleted: is `grading/submitted` there?")
        return course.store.prune(asked)
