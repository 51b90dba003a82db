"""A page for the instructor about an assignment: marks, questions, mistakes, and submissions that need attention."""

from __future__ import annotations

import math
import os
import statistics
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from nbgrader import utils

from autograder.attention import Judgements, judgements_of, needing_attention
from autograder.cells import about, answers_in
from autograder.dates import due_date, in_words
from autograder.files import write_whole, written
from autograder.grade import Submission, submissions
from autograder.gradebook import Course, Grade, Recorded, totals
from autograder.judging.jobs import Judgement
from autograder.tables import excused
from course.errors import CourseError
from course.html import render
from course.text.cuda import CudaText
from course.worker.cells import Cell

TEMPLATES = Path(__file__).parent / "templates"
BINS = 10  # most bars of the distribution
SHOWN = 500  # most characters of a verdict that the page shows

Questions = Mapping[str, Sequence[tuple[Grade, Judgement | None]]]  # each student's, by the name of the graded cell

Row = tuple[str, str, str, str, str]


def report(course: Course, assignment: str) -> Path:
    """Write the page about `assignment`, `grading/reports/ASSIGNMENT.html`, and return its path.

    The gradebook and the stored judgements are read, and not changed. Raises CourseError for an unknown assignment, and
    if no submission is graded.
    """
    notebooks = course.notebooks(assignment)
    recorded = course.recorded(assignment)
    marked = [each for each in recorded if each.counts]
    if not marked:
        raise CourseError(f"No submission for {assignment} is graded: run `autograder grade {assignment}` first.")
    handed_in = submissions(course, assignment)
    judgements = judgements_of(course, handed_in)
    folder = course.folder / "reports"

    def address(student: str, notebook: str) -> str:
        """Where a student's feedback page is, as seen from the report; "" if there is no page."""
        page = course.path("feedback", assignment, student) / f"{notebook}.html"
        return quote(os.path.relpath(page, folder)) if page.exists() else ""

    most, of_students = totals(marked)
    scores = list(of_students.values())
    questions = _questions(marked, judgements)
    page = folder / f"{assignment}.html"
    text = render(
        "report.html",
        TEMPLATES,
        assignment=assignment,
        notebook=notebooks[0],
        scores=scores,
        most=most,
        quartiles=statistics.quantiles(scores, n=4, method="inclusive") if len(scores) > 1 else scores * 3,
        bars=_bars(scores, most),
        questions=questions,
        mistakes=_mistakes(questions),
        judged=any(judgement for found in questions.values() for _, judgement in found),
        unnamed=_unnamed(handed_in, judgements),
        looks=needing_attention(course, assignment, handed_in, judgements or None),
        due=due_date(course, assignment),
        late=_late(course, assignment, recorded),
        address=address,
    )
    with written(f"The report {page}"):
        write_whole(page, text)
    return page


def _bars(scores: Sequence[float], most: float) -> list[tuple[str, int]]:
    """How many of `scores` are in each range from 0 to `most`, with a label. The last range includes its end."""
    width = max(1, math.ceil(most / BINS))
    bins = max(1, math.ceil(most / width))
    counts = Counter(min(int(score // width), bins - 1) for score in scores)
    labels = [f"{low * width:g} to below {(low + 1) * width:g}" for low in range(bins - 1)]
    labels.append(f"{(bins - 1) * width:g} to {most:g}")
    return [(label, counts[place]) for place, label in enumerate(labels)]


def _questions(marked: Iterable[Recorded], judgements: Judgements) -> Questions:
    questions: dict[tuple[str, str], list[tuple[Grade, Judgement | None]]] = defaultdict(list)
    for each in marked:
        for grade in (grade for grade in each.grades if not grade.unmarked):
            judgement = judgements.get((each.student, each.notebook, grade.name))
            questions[each.notebook, grade.name].append((grade, judgement))
    return {name: found for (_, name), found in questions.items()}


def _mistakes(questions: Questions) -> dict[str, list[tuple[str, int, str]]]:
    """The mistakes in answers to each question, the most frequent first: how many answers, and an example."""
    found = {}
    for name, of_question in questions.items():
        judged = [judgement for _, judgement in of_question if judgement]
        counts = Counter(mistake for judgement in judged for mistake in judgement.mistakes)
        examples = {mistake: judgement.verdict for judgement in reversed(judged) for mistake in judgement.mistakes}
        found[name] = [(mistake, count, _said(examples[mistake], mistake)) for mistake, count in counts.most_common()]
    return {name: mistakes for name, mistakes in found.items() if mistakes}


def _said(verdict: Mapping[str, Any], mistake: str) -> str:
    """What a verdict's JSON says about a mistake: the sentence about a hazard of this kind, or else the message."""
    hazards = (hazard["detail"] for hazard in verdict.get("hazards", ()) if hazard["kind"] == mistake)
    text = next(hazards, verdict.get("message", ""))
    return text if len(text) <= SHOWN else f"{text[:SHOWN]} …"


def _unnamed(submissions: Iterable[Submission], judgements: Judgements) -> list[tuple[str, str, int]]:
    """The wrong answers that no sentence of their verdict explains, without comments and names of students.

    Each is a question, the text of an answer, and how many answers have this text.
    """
    texts: Counter[tuple[str, str]] = Counter()
    for each in submissions:
        answers = answers_in(each.taken)
        for cell in filter(utils.is_grade, each.taken.cells):
            name = cell.metadata.nbgrader.grade_id
            judgement = judgements.get((each.student, each.notebook, name))
            if judgement and judgement.unnamed:
                texts[name, _without_comments(answers[about(cell, "answer")].source)] += 1
    return [(name, text, count) for (name, text), count in texts.most_common()]


def _without_comments(source: str) -> str:
    """The lines of a `%%cuda` cell that have more than a comment; another cell as it is."""
    cell = Cell.of(source)
    text = CudaText.of(cell.source).without_comments if cell.magic == "cuda" else source
    return "\n".join(line.rstrip() for line in text.split("\n") if line.strip())


def _late(course: Course, assignment: str, recorded: Iterable[Recorded]) -> dict[str, list[Row]]:
    """The students who were late, who handed in nothing though they are on the list of students, and the excused.

    A row has the student, the lateness, the extension, the late days, and the points lost. Lateness counts from the
    current due date, with extension and grace period, to the time of the submission that was graded.
    """
    of_students: dict[str, list[Recorded]] = defaultdict(list)
    for each in recorded:
        of_students[each.student].append(each)
    extensions = {name: in_words(first.extension) for name, (first, *_) in of_students.items()}
    others = {*course.students(assignment), *course.directory.student_id_exclude.split(",")}
    with course.gradebook() as gradebook:
        charges = course.late_work.charges(gradebook)
        excuses = {student for student, of in excused(gradebook) if of == assignment}
        missing = {each.id for each in gradebook.students} - others - excuses
    late = [
        (name, in_words(charge.late), extensions[name], f"{charge.days or ''}", f"{sum(e.penalty for e in found):g}")
        for name, found in of_students.items()
        if (charge := charges.get((name, assignment))) and found[0].marked
    ]
    rows = {
        "handed in late": late,
        "nothing handed in": [(name, "", extensions.get(name, ""), "", "") for name in sorted(missing)],
        "excused": [(name, "", "", "", "") for name in sorted(excuses)],
    }
    return {head: found for head, found in rows.items() if found}
