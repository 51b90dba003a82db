"""Pages for the instructor about an assignment and about the course: marks, questions, causes of mistakes, people."""

from __future__ import annotations

import functools
import math
import os
import re
import statistics
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import nbformat
from nbformat.notebooknode import NotebookNode

from autograder.attention import Judgements, judgements_of, needing_attention
from autograder.cells import about, answers_in, without_comments
from autograder.dates import due_date, in_words
from autograder.grade import Submission, submissions
from autograder.gradebook import Course, Grade, Recorded, totals
from autograder.judging.jobs import Judgement
from autograder.page import Bar, Cell, Link, Mark, Row, Table, shown, write_page
from autograder.plugins.clear_solutions import ClearSolutions
from autograder.tables import excused
from course.errors import CourseError
from course.notebook.bets import bet_in, guess_in

BINS = 10  # most bars of the distribution
SHOWN = 500  # most characters of a verdict that the page shows
EXAMPLES = 3  # answers that are shown for a cause
LEAST = 10  # students from which a question's discrimination is given
UNNAMED = "no sentence explains it"


@dataclass(frozen=True)
class Given:
    """A student's answer to a question, the graded cell `grade.name`, with its text without comments.

    `answer` names the cell of the answer. It was not `attempted` if it is what students were given.
    """

    student: str
    notebook: str
    grade: Grade
    answer: str
    text: str
    hidden: bool
    attempted: bool
    judgement: Judgement | None


class Assignment:
    """What the gradebook and the stored judgements have about an assignment.

    Raises CourseError for an unknown assignment, and if no submission is graded.
    """

    def __init__(self, course: Course, name: str):
        self.course, self.name, self.notebook = course, name, course.notebooks(name)[0]
        self.recorded = course.recorded(name)
        self.marked = [each for each in self.recorded if each.counts]
        if not self.marked:
            raise CourseError(f"No submission for {name} is graded: run `autograder grade {name}` first.")
        self.handed_in = submissions(course, name)
        self.judgements = judgements_of(course, self.handed_in)
        self.given = list(_given(course, name, self.marked, self.handed_in, self.judgements))
        self.points, self.totals = totals(self.marked)
        with course.gradebook() as gradebook:
            people = {each.id: (each.last_name, each.first_name) for each in gradebook.students}
            self.charges = course.late_work.charges(gradebook)
            excuses = {student for student, of in excused(gradebook) if of == name}
        self.people = {who: tuple(filter(None, names)) for who, names in people.items()}
        others = {*course.students(name), *course.directory.student_id_exclude.split(",")}
        self.excused, self.missing = sorted(excuses), sorted(self.people.keys() - others - excuses)

    @functools.cached_property
    def questions(self) -> dict[str, list[Given]]:
        """The answers to each question."""
        found: dict[tuple[str, str], list[Given]] = defaultdict(list)
        for each in self.given:
            found[each.notebook, each.grade.name].append(each)
        return {name: given for (_, name), given in found.items()}

    def link(self, student: str, question: str = "", notebook: str = "") -> Link:
        """The name of a student, as a link to the feedback page if there is one."""
        page = self.course.path("feedback", self.name, student) / f"{notebook or self.notebook}.html"
        address = quote(os.path.relpath(page, folder(self.course))) + f"#{quote(question)}" if page.exists() else ""
        names = ", ".join(self.people.get(student, ()))
        return Link(f"{names} ({student})" if names else student, address)

    def waiting(self) -> list[tuple[Recorded, Grade]]:
        """The questions that were marked by hand, or wait for it."""
        return [(each, g) for each in self.marked for g in each.grades if g.waits or g.by_hand is not None]


def folder(course: Course) -> Path:
    """The folder of all reports."""
    return course.folder / "reports"


def report(course: Course, name: str, projection: bool = False) -> Path:
    """Write the page about an assignment, `grading/reports/NAME.html`, and return its path.

    A `projection`, `NAME-projection.html`, can be shown to the class: it has no names and no hidden inputs. The
    gradebook and the stored judgements are read, and not changed. Raises CourseError for an unknown assignment, if no
    submission is graded, and if a file cannot be written.
    """
    of = Assignment(course, name)
    tables = [_marks(of), _questions(of), _causes(of, projection), _bets(of)]
    if not projection:
        tables += [_students(of), _attention(of), _by_hand(of), _late(of)]
    return _write(
        course, name, f"Report on {name}", [table for table in tables if table.rows or table.empty], projection
    )


def course_report(course: Course, projection: bool = False) -> Path:
    """Write the page about the course, `grading/reports/course.html`, and the pages of all graded assignments.

    Raises CourseError if no submission is graded, and if a file cannot be written.
    """
    graded = [name for name in course.assignments() if _is_graded(course, name)]
    if not graded:
        raise CourseError("No submission is graded: run `autograder grade ASSIGNMENT` first.")
    pages = {name: report(course, name, projection) for name in graded}
    found = [Assignment(course, name) for name in graded]
    tables = [_assignments(found, pages), _kinds(found)]
    if not projection:
        tables += [_totals(found)]
    return _write(course, "course", "Report on the course", tables, projection)


def _is_graded(course: Course, name: str) -> bool:
    with suppress(CourseError):  # it was not released
        course.notebooks(name)
        return any(each.counts for each in course.recorded(name))
    return False


def _write(course: Course, name: str, title: str, tables: Sequence[Table], projection: bool) -> Path:
    page = folder(course) / f"{name}{'-projection' * projection}.html"
    instructors = "This page is for instructors only. It names students, and shows what the hidden cases found."
    write_page(page, title, "" if projection else instructors, tables, projection=projection)
    return page


def _given(
    course: Course, name: str, marked: Iterable[Recorded], handed_in: Iterable[Submission], judgements: Judgements
) -> Iterator[Given]:
    taken = {(each.student, each.notebook): each.taken for each in handed_in}
    released: dict[str, Mapping[str, NotebookNode]] = {}
    for path in course.path("source", name).glob("*.ipynb"):
        skeleton, _ = ClearSolutions().preprocess(deepcopy(nbformat.read(path, as_version=4)), {})
        released[path.stem] = answers_in(skeleton)
    for each in marked:
        if not (notebook := taken.get((each.student, each.notebook))):
            continue
        cells = {cell.metadata.nbgrader.grade_id: cell for cell in notebook.cells if "nbgrader" in cell.metadata}
        for grade in each.grades:
            cell = cells[grade.name]
            answer = about(cell, "answer") or grade.name
            text = without_comments(cells[answer].source)
            attempted = text not in ("", without_comments(released[each.notebook][answer].source))
            judgement = judgements.get((each.student, each.notebook, grade.name))
            hidden = about(cell, "cases") == "hidden"
            yield Given(each.student, each.notebook, grade, answer, text, hidden, attempted, judgement)


def _marks(of: Assignment) -> Table:
    scores = sorted(of.totals.values())
    low, median, high = statistics.quantiles(scores, n=4, method="inclusive") if len(scores) > 1 else scores * 3
    bars = _bars(scores, of.points)
    longest = max(count for _, count in bars)
    intro = (
        f"Submissions graded: {len(scores)}. The median mark is {median:g} of {of.points:g} points, and the middle "
        f"half of the marks is between {low:g} and {high:g}. The lowest is {scores[0]:g}, the highest {scores[-1]:g}."
    )
    rows = [Row("", (label, Bar(str(count), count / longest))) for label, count in bars]
    return Table("marks", "Marks", "Submissions with a mark in each range", ("mark", "submissions"), rows, intro=intro)


def _bars(scores: Sequence[float], most: float) -> list[tuple[str, int]]:
    """How many of `scores` are in each range from 0 to `most`, with a label. The last range includes its end."""
    width = max(1, math.ceil(most / BINS))
    bins = max(1, math.ceil(most / width))
    counts = Counter(min(int(score // width), bins - 1) for score in scores)
    labels = [f"{low * width:g} to below {(low + 1) * width:g}" for low in range(bins - 1)]
    labels.append(f"{(bins - 1) * width:g} to {most:g}")
    return [(label, counts[place]) for place, label in enumerate(labels)]


def discrimination(scores: Sequence[float], totals: Sequence[float]) -> float | None:
    """How well a question tells strong students from weak ones: the corrected item-total correlation.

    It is Pearson's correlation between the students' scores in a question and the sums of their scores in all other
    questions (S. Henrysson, "Correction of item-total correlations in item analysis", Psychometrika 28, 1963). None if
    either is the same for all, and for fewer than LEAST students, of whom it says little.
    """
    rest = [total - score for score, total in zip(scores, totals, strict=True)]
    if len(scores) < LEAST or len(set(scores)) == 1 or len(set(rest)) == 1:
        return None
    return statistics.correlation(scores, rest)


def _questions(of: Assignment) -> Table:
    """The difficulty of a question is the mean share of its points, as in classical test theory (L. Crocker and
    J. Algina, "Introduction to Classical and Modern Test Theory", 1986): a small number is a difficult question.
    """
    sums: dict[str, float] = defaultdict(float)
    for each in of.given:
        sums[each.student] += each.grade.score
    rows = []
    for name, given in of.questions.items():
        points, scores = given[0].grade.points, [each.grade.score for each in given]
        full, blank = sum(score >= points for score in scores), sum(not each.attempted for each in given)
        mean, share = statistics.fmean(scores), full / len(scores)
        told = discrimination(scores, [sums[each.student] for each in given])
        cells = (name, points, round(mean, 3), round(mean / points, 2) if points else None)
        bar = Bar(f"{full} of {len(scores)} ({share:.0%})", share)
        rows.append(Row("", (*cells, None if told is None else round(told, 2), bar, blank)))
    heads = ("question", "points", "mean mark", "difficulty", "discrimination", "all points", "not attempted")
    caption = (
        "Difficulty is the mean mark divided by the points: 1 is a question that everybody solved. Discrimination is "
        "the correlation between the marks for this question and for all others: near 0 or below, strong students do "
        f"no better than weak ones. It is left out for fewer than {LEAST} students, and if all have the same mark."
    )
    return Table("questions", "Questions", caption, heads, rows)


def _cause(given: Given) -> tuple[str, str, str]:
    """What tells the mistake of an answer from others, its kinds, and a sentence of the verdict about it."""
    judgement = given.judgement
    if not given.attempted:
        return "not attempted", "not attempted", "As it was given out, or empty."
    if judgement is None or not judgement.mistakes:  # a judgement without mistakes: it is right, or was not judged
        return "", "", ""
    verdict, kinds = judgement.verdict, ", ".join(judgement.mistakes)
    # Judgements of an older version have neither key.
    sentence = verdict.get("diagnosis") or verdict.get("message", "")
    return verdict.get("cause") or kinds, kinds, f"{sentence} ({UNNAMED})" if judgement.unnamed else sentence


def _causes(of: Assignment, projection: bool) -> Table:
    """The causes of wrong answers, those with the most students first. One cause may cost points for several questions.

    In a projection, neither sentences about hidden cases are shown nor texts with the name of a student.
    """
    found: dict[str, dict[str, list[Given]]] = {each.answer: defaultdict(list) for each in of.given}
    for each in sorted(of.given, key=lambda each: each.hidden):
        if cause := _cause(each)[0]:
            found[each.answer][cause].append(each)
    names = {*of.people, *of.totals, *(part for names in of.people.values() for name in names for part in name.split())}
    rows = []
    for answer, causes in found.items():
        students = len({each.student for each in of.given if each.answer == answer})
        for given in sorted(causes.values(), key=lambda given: -len({each.student for each in given})):
            who = dict.fromkeys(each.student for each in given)
            texts = list(dict.fromkeys(each.text for each in given if each.attempted))
            _, kinds, sentence = _cause(given[0])
            if projection:
                texts = [text for text in texts if not _has_name(text, names)]
                said = (_cause(each)[2] for each in given if not each.hidden)
                sentence = next((text for text in said if not _has_name(text, names)), "")
            if len(sentence) > SHOWN:
                sentence = f"{sentence[:SHOWN]} …"
            costs = ", ".join(dict.fromkeys(each.grade.name for each in given))
            cells: tuple[Cell, ...] = (sentence or kinds, kinds, costs, Bar(str(len(who)), len(who) / students))
            if not projection:
                cells += (tuple(of.link(each.student, each.grade.name, each.notebook) for each in _firsts(given)),)
            rows.append(Row(answer, cells, tuple(sorted(texts, key=len)[:EXAMPLES])))
    heads = ("cause", "kind", "costs points in", "students", "who")
    intro = ""
    if not any(each.judgement for each in of.given):
        intro = f"No judgement of these answers is stored: run `autograder grade {of.name}` again."
    caption = (
        "Answers by what is wrong with them, under the name of the answer. What is said comes from one verdict. "
        f"docs/adding-a-mistake.md says how to add a sentence where {UNNAMED}."
    )
    return Table(
        "causes",
        "Causes",
        caption,
        heads[: len(heads) - projection],
        rows,
        "No mistake was found.",
        "answer",
        intro,
    )


def _firsts(given: Iterable[Given]) -> list[Given]:
    """The first answer of each student, in the order of students."""
    return sorted({each.student: each for each in reversed([*given])}.values(), key=lambda each: each.student)


def _has_name(text: str, names: Collection[str]) -> bool:
    words = {*re.findall(r"[^\W_]+", text.casefold())}
    return any(name.casefold() in words or (len(name) > 3 and name.casefold() in text.casefold()) for name in names)


def _bets(of: Assignment) -> Table:
    guesses: dict[str, list[float]] = defaultdict(list)
    for submission in of.handed_in:
        for cell in answers_in(submission.taken).values():
            if (name := bet_in(cell.source)) and (guess := guess_in(cell.source)):
                guesses[name].append(guess)
    rows = []
    for name, found in guesses.items():
        low, median, high = statistics.quantiles(found, n=4, method="inclusive") if len(found) > 1 else found * 3
        rows.append(Row("", (name, len(found), min(found), low, median, high, max(found))))
    heads = ("bet", "guesses", "lowest", "lower quartile", "median", "upper quartile", "highest")
    caption = "How many times as fast students expected the first variant to be as the second. Bets earn no points."
    return Table("bets", "Bets", caption, heads, rows)


def _students(of: Assignment) -> Table:
    given = {(each.student, each.grade.name): each for each in of.given}
    late: dict[str, float] = defaultdict(float)
    for each in of.marked:
        late[each.student] += each.penalty
    rows = []
    for student, total in of.totals.items():
        marks = [_mark(given.get((student, name))) for name in of.questions]
        rows.append(Row("", (of.link(student), *marks, -late[student] if late[student] else None, total)))
    caption = "Each student's mark for each question. -: not attempted. *: marked by hand. ?: must be marked by hand."
    heads = ("student", *of.questions, "late work", "total")
    return Table("students", "Students and questions", caption, heads, rows)


def _mark(given: Given | None) -> Mark:
    if given is None:
        return Mark("", "")
    grade = given.grade
    sign = "?" if grade.waits else "*" if grade.by_hand is not None else ""
    level = "all" if grade.score >= grade.points else "some" if grade.score > 0 else "none"
    return Mark(f"{grade.score:g}{sign}" if given.attempted or grade.score or sign else "-", level)


def _attention(of: Assignment) -> Table:
    looks = needing_attention(of.course, of.name, of.handed_in, of.judgements or None)
    rows = [
        Row(
            "",
            (
                of.link(look.student, next(iter(look.questions), ""), look.notebook),
                ", ".join(look.questions),
                look.reason,
            ),
        )
        for look in looks
    ]
    caption = "A student's name is a link to the student's feedback page."
    heads = ("student", "questions", "reason")
    return Table("attention", "Submissions that need attention", caption, heads, rows, "No submission needs attention.")


def _by_hand(of: Assignment) -> Table:
    rows = [
        Row(
            "waiting" if grade.waits else "marked by hand",
            (
                of.link(each.student, grade.name, each.notebook),
                grade.name,
                grade.by_hand,
                grade.automatic,
                grade.points,
            ),
        )
        for each, grade in sorted(of.waiting(), key=lambda pair: not pair[1].waits)
    ]
    heads = ("student", "question", "mark by hand", "automatic mark", "points")
    caption = "Answers that an instructor must mark, and those that one has marked"
    return Table("by-hand", "Marks by hand", caption, heads, rows, "No mark is by hand, and none waits.", "state")


def _late(of: Assignment) -> Table:
    """Who was late, who handed in nothing though they are on the list of students, and who is excused.

    Lateness counts from the current due date, with extension and grace period, to the time of the submission that was
    graded.
    """
    of_students: dict[str, list[Recorded]] = defaultdict(list)
    for each in of.recorded:
        of_students[each.student].append(each)
    extensions = {name: in_words(first.extension) for name, (first, *_) in of_students.items()}
    late: list[tuple] = [
        (name, in_words(charge.late), extensions[name], charge.days or None, sum(each.penalty for each in found))
        for name, found in of_students.items()
        if (charge := of.charges.get((name, of.name))) and found[0].marked
    ]
    groups = {
        "handed in late": late,
        "nothing handed in": [(name, "", extensions.get(name, ""), None, None) for name in of.missing],
        "excused": [(name, "", "", None, None) for name in of.excused],
    }
    rows = [Row(head, (of.link(name), *rest)) for head, found in groups.items() for name, *rest in found]
    due = due_date(of.course, of.name)
    intro = f"{of.name} was due at {due.isoformat(' ')}." if due else "No due date is set, so nobody is late."
    heads = ("student", "late by", "extension", "late days", "points lost")
    caption = "Lateness counts from the due date, with the student's extension and the grace period."
    empty = "No submission is late or missing."
    return Table("late", "Late and missing submissions", caption, heads, rows, empty, "state", intro)


def _assignments(found: Sequence[Assignment], pages: Mapping[str, Path]) -> Table:
    rows = []
    for of in found:
        scores = list(of.totals.values())
        share = statistics.fmean(scores) / of.points if of.points else 0.0
        late = sum(name == of.name for _, name in of.charges)
        waiting = sum(grade.waits for _, grade in of.waiting())
        counts = (len(scores), of.points, statistics.median(scores), Bar(f"{share:.0%}", share))
        link = Link(of.name, quote(pages[of.name].name))
        rows.append(Row("", (link, *counts, late, len(of.missing), len(of.excused), waiting)))
    heads = ("assignment", "graded", "points", "median", "mean", "late", "missing", "excused", "marks waiting")
    return Table("assignments", "Assignments", "Each assignment that has marks", heads, rows)


def _kinds(found: Sequence[Assignment]) -> Table:
    """How many students had each kind of mistake in each assignment."""
    who: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for of in found:
        for each in of.given:
            for kind in _cause(each)[1].split(", "):
                who[kind][of.name].add(each.student)
    who.pop("", None)
    rows = [
        Row("", (kind, *(len(students[of.name]) or None for of in found), len(set().union(*students.values()))))
        for kind, students in who.items()
    ]
    rows.sort(key=lambda row: -float(str(row.cells[-1])))
    heads = ("kind of mistake", *(of.name for of in found), "in any")
    caption = "How many students had a kind of mistake in each assignment"
    return Table("causes", "Kinds of mistakes", caption, heads, rows, "No mistake was found.")


def _totals(found: Sequence[Assignment]) -> Table:
    links = {student: of.link(student).text for of in found for student in (*of.totals, *of.missing)}
    days: Counter[str] = Counter()
    for (student, _), charge in found[0].charges.items():
        days[student] += charge.days
    rows = []
    for student, text in sorted(links.items()):
        marks = [_of_assignment(of, student) for of in found]
        total = sum(of.totals.get(student, 0.0) for of in found)
        rows.append(Row("", (text, *marks, total, days[student] or None)))
    heads = ("student", *(of.name for of in found), "total", "late days")
    return Table("students", "Students and assignments", "Each student's marks. -: nothing handed in.", heads, rows)


def _of_assignment(of: Assignment, student: str) -> Mark:
    if student not in of.totals:
        return Mark("excused" if student in of.excused else "-", "")
    score = of.totals[student]
    return Mark(shown(score), "all" if score >= of.points else "some" if score else "none")
