"""One page for the instructor about an assignment: the marks, each question and its mistakes, who needs a look."""

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
from urllib.parse import quote

import nbformat
from nbformat.notebooknode import NotebookNode
from nbgrader import utils

from autograder.grade import Course, Submission
from autograder.jobs import Judgement
from autograder.judge_answers import asked_in
from course.toolchains.base import CourseError

BINS = 10  # bars of the distribution, at most
OWN_CHARACTERS = 80  # an answer with fewer of its own is not held against others: many write the same short line
IDENTICAL = (
    "Answers count as identical when their text is the same without comments and white space, and holds at least "
    f"{OWN_CHARACTERS} characters in lines that are neither in the released notebook nor in the solution. "
    "Renamed variables hide a copy; the same short idea may look like one."
)
NOT_KEPT = (
    "No judgement of these answers is kept, so neither mistakes nor crashes can be told: run `autograder grade` again."
)
COMMENTS = {"cuda": r"//[^\n]*|/\*.*?\*/", "": r"#[^\n]*|//[^\n]*"}

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
caption {{ text-align: left; font-weight: bold; }}
th, td {{ padding: .2rem .8rem; text-align: left; vertical-align: top; border-bottom: 1px solid #8888; }}
th {{ font-weight: 600; }}
figure {{ margin: 1rem 0; }}
svg {{ max-width: 100%; height: auto; fill: currentColor; font: 14px system-ui, sans-serif; }}
summary {{ cursor: pointer; }}
@media print {{
  body {{ max-width: none; margin: 0; font-size: 11pt; }}
  tr, figure {{ break-inside: avoid; }}
  h2 {{ break-after: avoid; }}
  details::details-content {{ content-visibility: visible; display: block; }}
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
    """What the gradebook has of one graded cell of one student; `judgement` is None where none is kept."""

    student: str
    notebook: str
    name: str
    score: float
    points: float
    by_hand: bool
    judgement: Judgement | None = None

    @property
    def question(self) -> tuple[str, str]:
        """The notebook and the name of the graded cell."""
        return self.notebook, self.name


def report(course: Course, assignment: str) -> Path:
    """Write the page on `assignment`, `grading/reports/ASSIGNMENT.html`, and return its path.

    Reads the gradebook and the judgements that are kept, and changes neither. Raises CourseError for an unknown
    assignment and where nothing is graded.
    """
    course.notebooks(assignment)
    marks, graded = _gradebook(course, assignment)
    if not marks:
        raise CourseError(f"Nothing of {assignment} is graded yet: run `autograder grade {assignment}` first.")
    submissions = course.submissions(assignment)
    judgements = _judgements(course, submissions)
    graded = [replace(each, judgement=judgements.get((each.student, *each.question))) for each in graded]
    folder = course.store.folder.parent / "reports"
    link = _Links(course, assignment, folder)
    title = f"Report on {assignment}"
    body = [
        f"<h1>{escape(title)}</h1>",
        "<p>For instructors: it names students and what hidden cases found.</p>",
        *_distribution(marks),
        *_questions(graded),
        *_mistakes(graded),
        *_looks(_needing_a_look(submissions, graded), link),
        *_identical(course, assignment, submissions, link),
    ]
    page = folder / f"{assignment}.html"
    part = page.with_suffix(f".{os.getpid()}")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        part.write_text(PAGE.format(title=escape(title), body="\n".join(body)), encoding="utf-8")
        part.replace(page)
    except OSError as error:
        raise CourseError(f"{page} cannot be written ({error.strerror}): make room for the report there.") from None
    return page


def _gradebook(course: Course, assignment: str) -> tuple[dict[str, tuple[float, float]], list[Graded]]:
    """The marks of who was graded, `{student: (score, points)}`, as nbgrader exports them, and all graded cells."""
    marks, graded = {}, []
    with course.gradebook() as gradebook:
        for submission in gradebook.assignment_submissions(assignment):
            student = submission.student.id
            score = max(0.0, submission.score - submission.late_submission_penalty)
            marks[student] = score, submission.max_score
            graded += [
                Graded(student, notebook.name, g.name, g.score, g.max_score, g.needs_manual_grade)
                for notebook in submission.notebooks
                for g in notebook.grades
            ]
    return marks, graded


def _judgements(course: Course, submissions: Iterable[Submission]) -> dict[tuple[str, str, str], Judgement]:
    """The judgements that are kept, by student, notebook and question; this machine may be another than judged."""
    kept = course.store.newest()
    return {
        (each.student, each.notebook, name): judgement
        for each in submissions
        for asked in asked_in(each.taken).values()
        for name, judgement in kept.get(asked, {}).items()
    }


def _distribution(marks: Mapping[str, tuple[float, float]]) -> list[str]:
    scores, most = [score for score, _ in marks.values()], max(points for _, points in marks.values())
    width = max(1, math.ceil(most / BINS))
    bins = max(1, math.ceil(most / width))
    counts = Counter(min(int(score // width), bins - 1) for score in scores)
    rows = []
    for place in range(bins):
        low, high = place * width, min((place + 1) * width, most)
        below = "" if high == most else "below "
        rows.append((f"{low:g} to {below}{high:g} points", counts[place]))
    low, middle, high = statistics.quantiles(scores, n=4, method="inclusive") if len(scores) > 1 else scores * 3
    told = (
        f"{len(scores)} submissions are graded. Of {most:g} points the median is {middle:g}, the middle half lies "
        f"between {low:g} and {high:g}, the lowest is {min(scores):g}, the highest {max(scores):g}."
    )
    return ["<h2>Marks</h2>", f"<p>{told}</p>", _bars("Distribution of the marks", rows, "submissions")]


def _questions(graded: Sequence[Graded]) -> list[str]:
    rows, bars = [], []
    for (_, name), of_question in _by_question(graded).items():
        points = of_question[0].points
        full = sum(each.score >= points for each in of_question)
        share = 100 * full / len(of_question)
        mean = statistics.fmean(each.score for each in of_question)
        rows.append((name, f"{points:g}", f"{full} of {len(of_question)} ({share:.0f}%)", f"{mean:.3g}"))
        bars.append((name, round(share)))
    heads = ("question", "points", "full marks", "mean points")
    figure = _bars("Share of full marks, in per cent", bars, "per cent", full=100)
    return ["<h2>Questions</h2>", _table(heads, rows, "Each question"), figure]


def _by_question(graded: Iterable[Graded]) -> dict[tuple[str, str], list[Graded]]:
    questions: dict[tuple[str, str], list[Graded]] = defaultdict(list)
    for each in graded:
        questions[each.question].append(each)
    return questions


def _mistakes(graded: Sequence[Graded]) -> list[str]:
    """Which mistake how often, question by question, the most frequent first, with what one verdict says."""
    rows = []
    for (_, name), of_question in _by_question(graded).items():
        counts, example = Counter(), {}
        for judgement in filter(None, (each.judgement for each in of_question)):
            counts.update(judgement.mistakes)
            for mistake in judgement.mistakes:
                example.setdefault(mistake, judgement.verdict.get("message", ""))
        rows += [(name, mistake, str(count), _short(example[mistake])) for mistake, count in counts.most_common()]
    told = "<p>No judged answer has a mistake.</p>"
    if not any(each.judgement for each in graded):
        told = f"<p>{NOT_KEPT}</p>"
    heads = ("question", "mistake", "answers", "as one verdict says it")
    return ["<h2>Mistakes</h2>", _table(heads, rows, "How often each mistake was made") if rows else told]


def _short(text: str) -> str:
    return text if len(text) <= 240 else f"{text[:240].rsplit(' ', 1)[0]} …"


def _needing_a_look(submissions: Iterable[Submission], graded: Sequence[Graded]) -> list[tuple[str, str, str, str]]:
    """Student, notebook, question and reason, of all where something is not as it should be."""
    found, not_taken = [], set()
    for each in submissions:
        for cell in filter(utils.is_solution, each.taken.cells):
            if problem := cell.metadata.get("course", {}).get("problem"):
                name = cell.metadata.nbgrader.grade_id
                not_taken |= {(each.student, each.notebook, name)}
                found.append((each.student, each.notebook, name, problem))
    answers = {
        (each.student, each.notebook, cell.metadata.nbgrader.grade_id): cell.metadata.course.answer
        for each in submissions
        for cell in filter(utils.is_grade, each.taken.cells)
        if "answer" in cell.metadata.get("course", {})
    }
    judged = any(each.judgement for each in graded)
    for each in graded:
        where = (each.student, each.notebook, each.name)
        if each.judgement:
            found += [(*where, flag) for flag in each.judgement.flags]
        elif judged and where in answers and (*where[:2], answers[where]) not in not_taken:
            found.append((*where, "no judgement is kept: the judge failed, or `autograder grade` is to be run again"))
        if each.by_hand:
            found.append((*where, "to be marked by hand"))
    return sorted(found)


def _looks(found: Sequence[tuple[str, str, str, str]], link: _Links) -> list[str]:
    rows = [(link(*each[:3]), each[2], each[3]) for each in found]
    table = _table(("student", "question", "why"), rows, "Who needs a look") if rows else "<p>Nobody.</p>"
    return ["<h2>Who needs a look</h2>", table]


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
    table = _table(("answer", "students", "who"), rows, "Identical answers") if rows else "<p>None.</p>"
    return ["<h2>Identical answers</h2>", f"<p>{escape(IDENTICAL)}</p>", table]


def _answers(nb: NotebookNode) -> dict[str, tuple[str, ...]]:
    """The lines of each answer, without comments and white space, by the name of its cell."""
    found = {}
    for cell in filter(utils.is_solution, nb.cells):
        comments = COMMENTS["cuda" if cell.source.lstrip().startswith("%%cuda") else ""]
        text = re.sub(comments, "", cell.source, flags=re.DOTALL)
        lines = ("".join(line.split()) for line in text.splitlines())
        found[cell.metadata.nbgrader.grade_id] = tuple(line for line in lines if line)
    return found


class _Markup(str):
    """Text that is HTML already."""


class _Links:
    """Makes a link to the feedback page of a student out of a name, where there is that page."""

    def __init__(self, course: Course, assignment: str, folder: Path):
        self.course, self.assignment, self.folder = course, assignment, folder

    def __call__(self, student: str, notebook: str, anchor: str) -> _Markup:
        page = self.course.path("feedback", self.assignment, student) / f"{notebook}.html"
        if not page.exists():
            return _Markup(escape(student))
        address = f"{quote(os.path.relpath(page, self.folder))}#{quote(anchor)}"
        return _Markup(f'<a href="{escape(address)}">{escape(student)}</a>')


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]], caption: str) -> str:
    """A table whose first column heads its rows."""
    head = "".join(f'<th scope="col">{escape(text)}</th>' for text in heads)
    body = []
    for row in rows:
        first, *rest = (text if isinstance(text, _Markup) else escape(text) for text in row)
        body.append(f'<tr><th scope="row">{first}</th>{"".join(f"<td>{text}</td>" for text in rest)}</tr>')
    return (
        f'<div class="wide"><table><caption>{escape(caption)}</caption><thead><tr>{head}</tr></thead>'
        f"<tbody>{''.join(body)}</tbody></table></div>"
    )


def _bars(title: str, rows: Sequence[tuple[str, int]], unit: str, full: int = 0) -> str:
    """A bar for each row with its number beside it, in the page's own colour, and the same as a table."""
    longest = full or max(max(count for _, count in rows), 1)
    side = 20 + 8 * max(len(name) for name, _ in rows)
    drawn = []
    for place, (name, count) in enumerate(rows):
        y, width = 28 * place, 400 * count / longest
        drawn.append(
            f'<text x="{side - 10}" y="{y + 17}" text-anchor="end">{escape(name)}</text>'
            f'<rect x="{side}" y="{y + 2}" width="{width:.1f}" height="20" opacity="0.6"/>'
            f'<text x="{side + width + 8:.1f}" y="{y + 17}">{count}</text>'
        )
    alt = f"Bar chart: {title}. " + ", ".join(f"{name}: {count}" for name, count in rows) + "."
    box = f'viewBox="0 0 {side + 470} {28 * len(rows)}" width="{side + 470}"'
    picture = f'<svg role="img" aria-label="{escape(alt)}" {box}>{"".join(drawn)}</svg>'
    table = _table(("", unit), [(name, str(count)) for name, count in rows], title)
    fold = f"<details><summary>The same as a table</summary>{table}</details>"
    return f"<figure><figcaption>{escape(title)}</figcaption>{picture}{fold}</figure>"
