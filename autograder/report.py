"""A page for the instructor about an assignment: marks, questions, mistakes, and submissions that need attention."""

from __future__ import annotations

import math
import os
import re
import statistics
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import quote

import nbformat
from nbformat.notebooknode import NotebookNode
from nbgrader import utils

from autograder.attention import Look, judgements_of, needing_attention
from autograder.dates import due_date, is_marked, late_and_missing
from autograder.grade import Course, Submission
from autograder.judging.jobs import Judgement
from course.errors import CourseError
from course.notebook.bets import bet_in
from course.worker.cells import Cell

BINS = 10  # most bars of the distribution
SHOWN = 500  # most characters of a verdict that the page shows
POWERS = 10  # bets above 2**10 or below 2**-10 are counted in the last or the first row of a histogram
OWN_CHARACTERS = 80  # shorter answers are not compared, since many students write the same short line
IDENTICAL = (
    "Two answers count as identical if they have the same text, apart from comments and white space. Answers are "
    f"compared only if at least {OWN_CHARACTERS} characters are in lines that neither the released notebook nor the "
    "solution has. A copy with renamed variables is not found. Two students who had the same short idea may be listed."
)
NOT_KEPT = (
    "No judgement of these answers is stored, so mistakes and crashes are not known: run `autograder grade` again."
)
# A comment without an end reaches the end of the text. Otherwise each "/*" would make a search of the whole text.
COMMENTS = {"cuda": r"//[^\n]*|/\*.*?(?:\*/|\Z)", "": r"#[^\n]*|//[^\n]*"}

PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
:root {{ color-scheme: light dark; }}
body {{ font: 16px/1.5 system-ui, sans-serif; max-width: 64rem; margin: 2rem auto; padding: 0 1rem; }}
div.wide {{ overflow-x: auto; }}
table {{ border-collapse: collapse; margin: .5rem 0; }}
caption {{ text-align: left; padding-bottom: .3rem; }}
th, td {{ padding: .2rem .8rem; text-align: left; vertical-align: top; border-bottom: 1px solid #8888; }}
th {{ font-weight: 600; }}
th[scope=row] {{ font-weight: normal; white-space: nowrap; }}
th[scope=rowgroup] {{ padding-top: .8rem; }}
td.long {{ min-width: 9rem; overflow-wrap: anywhere; }}
.bar {{ display: inline-block; width: 10rem; margin-right: .8rem; }}
.bar span {{ display: inline-block; border-top: .9em solid; opacity: .6; vertical-align: middle; }}
@media (max-width: 40rem) {{
  th, td {{ padding: .2rem .4rem; }}
  th[scope=row] {{ white-space: normal; }}
  .bar {{ width: 4rem; }}
}}
@media print {{
  body {{ max-width: none; margin: 0; font-size: 11pt; }}
  tr {{ break-inside: avoid; }}
  h2, th[scope=rowgroup] {{ break-after: avoid; }}
}}
</style>
</head>
<body>
<main>
{body}
</main>
</body>
</html>
"""


@dataclass(frozen=True)
class Graded:
    """One graded cell of one student, from the gradebook.

    `by_hand` says why an instructor must mark the cell, or is "". `judgement` is None if no judgement is stored.
    """

    student: str
    notebook: str
    name: str
    score: float
    points: float
    judgement: Judgement | None = None

    @property
    def question(self) -> tuple[str, str]:
        """The notebook and the name of the graded cell."""
        return self.notebook, self.name


def report(course: Course, assignment: str) -> Path:
    """Write the page about `assignment`, `grading/reports/ASSIGNMENT.html`, and return its path.

    The gradebook and the stored judgements are read, and not changed. Raises CourseError for an unknown assignment, and
    if no submission is graded.
    """
    course.notebooks(assignment)
    marks, graded = _gradebook(course, assignment)
    if not marks:
        raise CourseError(f"No submission for {assignment} is graded: run `autograder grade {assignment}` first.")
    submissions = course.submissions(assignment)
    judgements = judgements_of(course, submissions)
    graded = [replace(each, judgement=judgements.get((each.student, *each.question))) for each in graded]
    folder = course.store.folder.parent / "reports"
    link = _Links(course, assignment, folder)
    title = f"Report on {assignment}"
    body = [
        f"<h1>{escape(title)}</h1>",
        "<p>This page is for instructors only. It names students, and shows what the hidden cases found.</p>",
        *_distribution(marks),
        *_questions(graded),
        *_mistakes(graded),
        *_unnamed(submissions, graded),
        *_bets(submissions),
        *_attention(needing_attention(course, assignment, submissions, judgements or None), link),
        *_late_and_missing(course, assignment, link),
        *_identical(course, assignment, submissions, link),
    ]
    page = folder / f"{assignment}.html"
    part = page.with_suffix(f".{os.getpid()}")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        part.write_text(PAGE.format(title=escape(title), body="\n".join(body)), encoding="utf-8")
        part.replace(page)
    except OSError as error:
        raise CourseError(f"The report {page} cannot be written ({error.strerror}).") from None
    return page


def _gradebook(course: Course, assignment: str) -> tuple[dict[str, tuple[float, float]], list[Graded]]:
    """The marks of graded students as nbgrader exports them, `{student: (score, points)}`, and all graded cells."""
    marks, graded = {}, []
    with course.gradebook() as gradebook:
        for submission in gradebook.assignment_submissions(assignment):
            if not is_marked(course, submission):
                continue
            student = submission.student.id
            score = max(0.0, submission.score - submission.late_submission_penalty)
            marks[student] = score, submission.max_score
            graded += [
                Graded(student, notebook.name, g.name, g.score, g.max_score)
                for notebook in submission.notebooks
                for g in notebook.grades
            ]
    return marks, graded


def _distribution(marks: Mapping[str, tuple[float, float]]) -> list[str]:
    scores, most = [score for score, _ in marks.values()], max(points for _, points in marks.values())
    width = max(1, math.ceil(most / BINS))
    bins = max(1, math.ceil(most / width))
    counts = Counter(min(int(score // width), bins - 1) for score in scores)
    rows = []
    for place in range(bins):
        low, high = place * width, min((place + 1) * width, most)
        below = "" if high == most else "below "
        bar = _bar(counts[place] / max(counts.values()), str(counts[place]))
        rows.append((f"{low:g} to {below}{high:g}", bar))
    low, middle, high = statistics.quantiles(scores, n=4, method="inclusive") if len(scores) > 1 else scores * 3
    text = (
        f"{len(scores)} submissions are graded. The median mark is {middle:g} of {most:g} points, and the middle half "
        f"of the marks is between {low:g} and {high:g}. The lowest mark is {min(scores):g}, and the highest mark is "
        f"{max(scores):g}."
    )
    table = _table(("mark", "submissions"), rows, "How many submissions have a mark in each range")
    return ["<h2>Marks</h2>", f"<p>{text}</p>", table]


def _questions(graded: Sequence[Graded]) -> list[str]:
    rows = []
    for (_, name), of_question in _by_question(graded).items():
        points = of_question[0].points
        full = sum(each.score >= points for each in of_question)
        share = full / len(of_question)
        mean = statistics.fmean(each.score for each in of_question)
        bar = _bar(share, f"{full} of {len(of_question)} ({share:.0%})")
        rows.append((name, f"{points:g}", f"{mean:.3g}", bar))
    heads = ("question", "points", "mean mark", "students with all points")
    return ["<h2>Questions</h2>", _table(heads, rows, "How many students got all points for each question")]


def _by_question(graded: Iterable[Graded]) -> dict[tuple[str, str], list[Graded]]:
    questions: dict[tuple[str, str], list[Graded]] = defaultdict(list)
    for each in graded:
        questions[each.question].append(each)
    return questions


def _mistakes(graded: Sequence[Graded]) -> list[str]:
    """How many answers to each question have each mistake, with an example. The most frequent mistakes come first."""
    rows: list[tuple[str, ...]] = []
    for (_, name), of_question in _by_question(graded).items():
        counts: Counter[str] = Counter()
        example: dict[str, str] = {}
        for judgement in filter(None, (each.judgement for each in of_question)):
            counts.update(judgement.mistakes)
            for mistake in judgement.mistakes:
                example.setdefault(mistake, _said(judgement.verdict, mistake))
        if counts:
            rows.append((name,))
        rows += [(mistake, str(count), _Long(_short(example[mistake]))) for mistake, count in counts.most_common()]
    text = "<p>No mistake was found in the judged answers.</p>"
    if not any(each.judgement for each in graded):
        text = f"<p>{NOT_KEPT}</p>"
    heads = ("mistake", "answers with this mistake", "sentence from one verdict")
    caption = "How many answers to each question have each mistake"
    return ["<h2>Mistakes</h2>", _table(heads, rows, caption) if rows else text]


def _unnamed(submissions: Iterable[Submission], graded: Iterable[Graded]) -> list[str]:
    """The wrong answers that no sentence of their verdict explains, without comments and names of students.

    The same answer is shown only once.
    """
    where = {(each.student, *each.question) for each in graded if each.judgement and each.judgement.unnamed}
    texts: Counter[tuple[str, str]] = Counter()
    for each in submissions:
        cells = each.taken.cells
        answers = {cell.metadata.nbgrader.grade_id: cell.source for cell in filter(utils.is_solution, cells)}
        for cell in filter(utils.is_grade, cells):
            if (each.student, each.notebook, name := cell.metadata.nbgrader.grade_id) in where:
                texts[name, _without_comments(answers[cell.metadata.course.answer])] += 1
    shown = [
        f"<details><summary>{escape(name)}, answers: {count}</summary><pre>{escape(text)}</pre></details>"
        for (name, text), count in texts.most_common()
    ]
    text = (
        "<p>The verdicts on these answers show wrong values but name no mistake. docs/adding-a-mistake.md says how to "
        "add a sentence for a mistake.</p>"
    )
    return ["<h2>Wrong answers that no sentence explains</h2>", text, *shown] if shown else []


def _bets(submissions: Iterable[Submission]) -> list[str]:
    """Histograms of the bets in steps of a factor of two, and the number of bets that were late or changed later."""
    guesses: dict[str, Counter[int]] = defaultdict(Counter)
    changed: Counter[str] = Counter()
    for each in submissions:
        for cell in filter(utils.is_solution, each.taken.cells):
            course = cell.metadata.get("course", {})
            _, guess = bet_in(cell.source) or ("", None)
            kept = course.get("bet") or {"guess": guess, "late": False}
            if "bet" not in course or kept["guess"] is None:
                continue
            name = cell.metadata.nbgrader.grade_id
            changed[name] += kept["late"] or guess not in (None, kept["guess"])  # None: an expression such as 1 / 30
            power = math.floor(math.log2(kept["guess"]))
            guesses[name][min(max(power, -POWERS), POWERS)] += 1
    rows: list[tuple[str, ...]] = []
    for name, counts in sorted(guesses.items()):
        rows.append((f"{name}: {counts.total()} bets, and {changed[name]} of these bets were late or changed later",))
        for power in range(min(counts), max(counts) + 1):
            low = f"{2.0**power:g} to below " if power > -POWERS else "below "
            label = f"{low}{2.0 ** (power + 1):g}" if power < POWERS else f"{2.0**power:g} or more"
            rows.append((label, _bar(counts[power] / max(counts.values()), str(counts[power]))))
    caption = "Each bet guesses how many times as fast the first variant is as the second. Bets earn no points."
    return ["<h2>Bets</h2>", _table(("bet", "students"), rows, caption)] if rows else []


def _said(verdict: Mapping[str, Any], mistake: str) -> str:
    """What a verdict's JSON says about a mistake: the sentence about a hazard of this kind, or else the message."""
    hazards = (hazard["detail"] for hazard in verdict.get("hazards", ()) if hazard["kind"] == mistake)
    return next(hazards, verdict.get("message", ""))


def _short(text: str) -> str:
    return text if len(text) <= SHOWN else f"{text[:SHOWN]} …"


def _attention(found: Sequence[Look], link: _Links) -> list[str]:
    rows = [
        (link(each.student, each.notebook, *each.questions[:1]), _Long(", ".join(each.questions)), _Long(each.reason))
        for each in found
    ]
    caption = "A student's name is a link to the student's feedback page"
    heads = ("student", "questions", "reason")
    table = _table(heads, rows, caption) if rows else "<p>No submission needs attention.</p>"
    return ["<h2>Submissions that need attention</h2>", table]


def _late_and_missing(course: Course, assignment: str, link: _Links) -> list[str]:
    late, missing = late_and_missing(course, assignment)
    notebook = course.notebooks(assignment)[0]
    rows: list[tuple[str, ...]] = []
    for head, found in (("handed in late", late), ("nothing handed in", missing)):
        rows += [(f"{head}: {len(found)}",)] * bool(found)
        rows += [(link(student, notebook), *rest) for student, *rest in found]
    due = due_date(course, assignment)
    text = f"{assignment} was due at {due.isoformat(' ')}." if due else "No due date is set, so nobody is late."
    heads = ("student", "late by", "extension", "points lost")
    caption = "A submission is late if it came after the due date plus the student's extension"
    table = _table(heads, rows, caption) if rows else "<p>No submission is late or missing.</p>"
    return ["<h2>Late and missing submissions</h2>", f"<p>{escape(text)}</p>", table]


def _identical(course: Course, assignment: str, submissions: Sequence[Submission], link: _Links) -> list[str]:
    """The groups of students whose answers to a question are identical."""
    known: dict[tuple[str, str], set[str]] = defaultdict(set)
    for step in ("release", "source"):
        for path in course.path(step, assignment).glob("*.ipynb"):
            for name, lines in _answers(nbformat.read(path, as_version=4)).items():
                known[path.stem, name] |= set(lines)
    groups: dict[tuple[str, str, str], list[str]] = defaultdict(list)
    for each in submissions:
        for name, lines in _answers(each.taken).items():
            own = [line for line in lines if line not in known[each.notebook, name]]
            if sum(map(len, own)) >= OWN_CHARACTERS:
                groups[each.notebook, name, "".join(lines)].append(each.student)
    rows = [
        (
            name,
            str(len(students)),
            _Markup(", ".join(link(student, notebook, f"comment-{name}") for student in students)),
        )
        for (notebook, name, _), students in sorted(groups.items())
        if len(students) > 1
    ]
    table = (
        _table(("answer", "number of students", "students"), rows, "Students who handed in the same answer")
        if rows
        else "<p>No answers are identical.</p>"
    )
    return ["<h2>Identical answers</h2>", f"<p>{escape(IDENTICAL)}</p>", table]


def _answers(nb: NotebookNode) -> dict[str, tuple[str, ...]]:
    """The lines of each answer, without comments and white space, by the name of its cell."""
    found = {}
    for cell in filter(utils.is_solution, nb.cells):
        lines = ("".join(line.split()) for line in _without_comments(cell.source).splitlines())
        found[cell.metadata.nbgrader.grade_id] = tuple(line for line in lines if line)
    return found


def _without_comments(source: str) -> str:
    comments = COMMENTS["cuda" if Cell.of(source).magic == "cuda" else ""]
    return re.sub(comments, "", source, flags=re.DOTALL)


class _Markup(str):
    """Text that is already HTML."""


class _Long(str):
    """Text that may need several lines."""


class _Links:
    """Makes a student's name a link to the student's feedback page, if that page exists."""

    def __init__(self, course: Course, assignment: str, folder: Path):
        self.course, self.assignment, self.folder = course, assignment, folder

    def __call__(self, student: str, notebook: str, anchor: str = "") -> _Markup:
        page = self.course.path("feedback", self.assignment, student) / f"{notebook}.html"
        if not page.exists():
            return _Markup(escape(student))
        address = f"{quote(os.path.relpath(page, self.folder))}#{quote(anchor)}"
        return _Markup(f'<a href="{escape(address)}">{escape(student)}</a>')


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]], caption: str) -> str:
    """A table. The first text of a row is the heading of the row; a row of only one text heads the rows below it."""
    head = "".join(f'<th scope="col">{escape(text)}</th>' for text in heads)
    body = []
    for row in rows:
        first, *rest = row
        scope = f'scope="rowgroup" colspan="{len(heads)}"' if not rest else 'scope="row"'
        body.append("</tbody><tbody>" * (not rest) + f"<tr><th {scope}>{_html(first)}</th>")
        body += [f"<td{' class=long' * isinstance(text, _Long)}>{_html(text)}</td>" for text in rest] + ["</tr>"]
    return (
        f'<div class="wide"><table><caption>{escape(caption)}</caption><thead><tr>{head}</tr></thead>'
        f"<tbody>{''.join(body)}</tbody></table></div>"
    )


def _html(text: str) -> str:
    return text if isinstance(text, _Markup) else escape(text)


def _bar(share: float, text: str) -> _Markup:
    """A bar of relative length `share`, from 0 to 1, with the same value as `text` beside it."""
    return _Markup(f'<span class="bar" aria-hidden="true"><span style="width:{share:.1%}"></span></span>{escape(text)}')
