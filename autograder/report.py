"""Pages for the instructor about an assignment and about the course: marks, questions, causes of mistakes, people."""

import math
import os
import re
import statistics
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from unicodedata import normalize
from urllib.parse import quote

import nbformat

from autograder.attention import judgements_of, needing_attention
from autograder.cells import about, answers_in, without_comments
from autograder.dates import due_date, in_words
from autograder.grade import submissions
from autograder.gradebook import Course, Grade, Recorded, totals
from autograder.judging.jobs import Judgement
from autograder.page import Cell, Row, Table, write_page
from autograder.plugins.clear_solutions import ClearSolutions
from autograder.tables import excused
from course.errors import CourseError
from course.notebook.bets import bet_in, guess_in

BINS = 10  # most bars of the distribution
SHOWN = 500  # most characters of a verdict that the page shows
EXAMPLES = 3  # answers that are shown for a cause
LEAST = 10  # students from which a question's discrimination is given
SPREAD = ("lowest", "lower quartile", "median", "upper quartile", "highest")


@dataclass(frozen=True)
class Given:
    """A student's answer to a question, the graded cell `grade.name`, with its text without comments.

    `answer` names the cell of the answer. It was not `attempted` if it is what students were given.
    """

    student: str
    grade: Grade
    answer: str
    text: str
    hidden: bool
    attempted: bool
    judgement: Judgement | None

    @property
    def kinds(self) -> Sequence[str]:
        """The kinds of mistakes in it."""
        return (self.judgement.mistakes if self.judgement else ()) if self.attempted else ("not attempted",)

    @property
    def cause(self) -> tuple[str, str]:
        """What tells this mistake from others, and what the verdict says about it; "" for no mistake."""
        kinds = "; ".join(self.kinds)
        if not (kinds and self.judgement and self.attempted):
            return kinds, "As it was given out, empty, or missing."
        verdict = self.judgement.verdict
        said = verdict.get("diagnosis") or verdict.get("message", "")  # an older version stored neither key
        said = f"{said} (No sentence explains it.)" if self.judgement.unnamed else said
        return verdict.get("cause") or kinds, said if len(said) <= SHOWN else f"{said[:SHOWN]} …"


class Assignment:
    """What the gradebook and the stored judgements have about an assignment.

    Raises CourseError for an unknown assignment, and if no submission is graded.
    """

    def __init__(self, course: Course, name: str):
        course.require(name)
        self.course, self.name = course, name
        self.recorded = course.recorded(name)
        self.marked = [each for each in self.recorded if each.counts]
        if not self.marked:
            raise CourseError(f"No submission for {name} is graded: run `autograder grade {name}` first.")
        self.handed_in = submissions(course, name)
        self.judgements = judgements_of(course, self.handed_in)
        self.points, self.totals = totals(self.marked)
        with course.gradebook() as gradebook:
            names = {each.id: (each.last_name, each.first_name) for each in gradebook.students}
            self.charges = course.late_work.charges(gradebook)
            self.excused = sorted(student for student, of in excused(gradebook) if of == name)
        self.people = {student: [each for each in both if each] for student, both in names.items()}
        others = {*course.students(name), *course.directory.student_id_exclude.split(","), *self.excused}
        self.missing = sorted(self.people.keys() - others)
        self.questions: dict[str, list[Given]] = defaultdict(list)
        for given in self.given():
            self.questions[given.grade.name].append(given)

    def given(self) -> Iterator[Given]:
        """The answers whose marks count."""
        taken = {each.student: each.taken for each in self.handed_in}
        solution = nbformat.read(self.course.solution(self.name), as_version=4)
        released = answers_in(ClearSolutions().preprocess(solution, {})[0])
        for each in self.marked:
            there = taken[each.student].cells if each.student in taken else []
            cells = {cell.metadata.nbgrader.grade_id: cell for cell in there if "nbgrader" in cell.metadata}
            for grade in each.grades if there else ():
                cell = cells[grade.name]
                answer = about(cell, "answer") or grade.name
                text = without_comments(cells[answer].source)
                attempted = text not in ("", without_comments(released[answer].source))
                judgement = self.judgements.get((each.student, grade.name))
                hidden = about(cell, "cases") == "hidden"
                yield Given(each.student, grade, answer, text, hidden, attempted, judgement)

    def link(self, student: str, question: str = "") -> Cell:
        """The name of a student, as a link to the feedback page if there is one."""
        page = self.course.notebook("feedback", self.name, student).with_suffix(".html")
        address = quote(os.path.relpath(page, self.course.folder / "reports")) if page.exists() else ""
        names = ", ".join(self.people.get(student, ()))
        return Cell(f"{names} ({student})" if names else student, address and f"{address}#{quote(question)}")

    def by_hand(self) -> list[tuple[Recorded, Grade]]:
        """The marks that an instructor must give, and then those that one has given."""
        found = [(each, grade) for each in self.marked for grade in each.grades]
        found = [pair for pair in found if pair[1].waits or pair[1].by_hand is not None]
        return sorted(found, key=lambda pair: not pair[1].waits)


def report(of: Assignment, projection: bool = False) -> Path:
    """Write the page about an assignment, `grading/reports/NAME.html`, and return its path.

    A `projection`, `NAME-projection.html`, can be shown to the class: it has no names and no hidden inputs. The
    gradebook and the stored judgements are only read. Raises CourseError if a file cannot be written.
    """
    tables = [_marks(of), _distribution(of), _questions(of), _causes(of, projection), _bets(of)]
    if not projection:
        tables += [_students(of), _attention(of), _by_hand(of), _late(of)]
    due = due_date(of.course, of.name)
    told = f"{of.name} was due at {due.isoformat(' ')}." if due else "No due date is set, so nobody is late."
    if not of.judgements:
        told += f" No judgement of these answers is stored: run `autograder grade {of.name}` again."
    return _write(of.course, of.name, tables, projection, told)


def course_report(course: Course, projection: bool = False) -> Path:
    """Write the page about the course, `grading/reports/course.html`, and the pages of all graded assignments.

    Raises CourseError if no submission is graded, and if a file cannot be written.
    """
    found = []
    for name in course.assignments():
        with suppress(CourseError):  # it was not released, or is not graded
            found.append(Assignment(course, name))
    if not found:
        raise CourseError("No submission is graded: run `autograder grade ASSIGNMENT` first.")
    pages = {of.name: report(of, projection) for of in found}
    tables = [_assignments(found, pages), _kinds(found)]
    return _write(course, "course", [*tables, *([] if projection else [_totals(found)])], projection)


def _write(course: Course, name: str, tables: Sequence[Table], projection: bool, told: str = "") -> Path:
    page = course.folder / "reports" / f"{name}{'-projection' * projection}.html"
    write_page(page, f"Report on {'the ' * (name == 'course')}{name}", tables, projection=projection, told=told)
    return page


def _spread(values: Sequence[float]) -> tuple[float, ...]:
    """The values of `SPREAD`."""
    quartiles = statistics.quantiles(values, n=4, method="inclusive") if len(values) > 1 else [*values] * 3
    return min(values), *quartiles, max(values)


def _marks(of: Assignment) -> Table:
    scores = [*of.totals.values()]
    return Table("marks", ("graded", *SPREAD, "points"), [Row((len(scores), *_spread(scores), of.points))])


def _distribution(of: Assignment) -> Table:
    bars = _bars([*of.totals.values()], of.points)
    longest = max(count for _, count in bars)
    rows = [Row((label, Cell(f"{count}", share=count / longest))) for label, count in bars]
    return Table("distribution", ("mark", "students"), rows)


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
    if len(scores) < LEAST or len({*scores}) == 1 or len({*rest}) == 1:
        return None
    return round(statistics.correlation(scores, rest), 2)


def _questions(of: Assignment) -> Table:
    """The difficulty of a question is the mean share of its points, as in classical test theory (L. Crocker and
    J. Algina, "Introduction to Classical and Modern Test Theory", 1986): a small number is a difficult question.
    Answers that wait for a mark by hand are left out.
    """
    sums: Counter[str] = Counter()
    for given in of.questions.values():
        sums.update({each.student: each.grade.score for each in given})
    rows = []
    for name, given in of.questions.items():
        marked = [each for each in given if not each.grade.waits]
        points, scores = given[0].grade.points, [each.grade.score for each in marked]
        mean = statistics.fmean(scores) if scores else None
        full = sum(score >= points for score in scores)
        share, blank = full / (len(scores) or 1), sum(not each.attempted for each in given)
        bar = Cell(f"{full} of {len(scores)} ({share:.0%})", share=share)
        told = discrimination(scores, [sums[each.student] for each in marked])
        difficulty = None if mean is None or not points else round(mean / points, 2)
        rows.append(Row((name, points, mean and round(mean, 3), difficulty, told, bar, blank)))
    heads = ("question", "points", "mean mark", "difficulty", "discrimination", "all points", "not attempted")
    return Table("questions", heads, rows)


def _causes(of: Assignment, projection: bool) -> Table:
    """The causes of wrong answers, those with the most students first. One cause may cost points for several questions.

    In a projection, neither sentences about hidden cases are shown nor texts with the name of a student.
    """
    found: dict[str, dict[str, list[Given]]] = defaultdict(lambda: defaultdict(list))
    answered: dict[str, set[str]] = defaultdict(set)
    for each in sorted((each for given in of.questions.values() for each in given), key=lambda each: each.hidden):
        answered[each.answer].add(each.student)
        if each.cause[0]:
            found[each.answer][each.cause[0]].append(each)
    names = {*of.people, *of.totals, *(word for both in of.people.values() for name in both for word in name.split())}
    rows = []
    for answer, students in answered.items():
        for given in sorted(found[answer].values(), key=lambda given: -len({each.student for each in given})):
            who = {each.student: each for each in reversed(given)}
            texts = sorted({each.text for each in given if each.attempted}, key=lambda text: (len(text), text))
            said = [each.cause[1] for each in given if not (projection and each.hidden)]
            if projection:
                texts, said = ([text for text in each if not _has_name(text, names)] for each in (texts, said))
            kinds, costs = "; ".join(given[0].kinds), ", ".join(dict.fromkeys(each.grade.name for each in given))
            bar = Cell(f"{len(who)}", share=len(who) / len(students))
            links = [of.link(student, who[student].grade.name) for student in sorted(who)]
            cells = (next(iter(said), kinds), kinds, costs, bar, links)
            rows.append(Row(cells[: 5 - projection], answer, texts[:EXAMPLES]))
    heads = ("cause", "kind", "costs points in", "students", "who")
    return Table("causes", heads[: 5 - projection], rows, "answer")


def _has_name(text: str, names: Collection[str]) -> bool:
    """Whether a name is in `text`, a short one as a word of its own."""
    text, *names = (normalize("NFC", each).casefold() for each in (text, *names))
    words = {*re.findall(r"[^\W_]+", text)}
    return any((name in text) if len(name) > 3 else (name in words) for name in names)


def _bets(of: Assignment) -> Table:
    guesses: dict[str, list[float]] = defaultdict(list)
    for source in (cell.source for each in of.handed_in for cell in answers_in(each.taken).values()):
        if (name := bet_in(source)) and (guess := guess_in(source)):
            guesses[name].append(guess)
    rows = [Row((name, len(found), *_spread(found))) for name, found in guesses.items()]
    return Table("bets", ("bet", "guesses", *SPREAD), rows)


def _students(of: Assignment) -> Table:
    marks = {(each.student, name): _mark(each) for name, given in of.questions.items() for each in given}
    rows = []
    for each in of.marked:
        own = (marks.get((each.student, name)) for name in of.questions)
        rows.append(Row((of.link(each.student), *own, -each.penalty or None, each.mark)))
    return Table("students", ("student", *of.questions, "late work", "total"), rows)


def _mark(given: Given) -> Cell:
    grade = given.grade
    sign = "?" if grade.waits else "*" if grade.by_hand is not None else ""
    text = f"{grade.score:g}{sign}" if given.attempted or grade.score or sign else "-"
    return _mark_cell(text, grade.score, grade.points)


def _mark_cell(text: str, score: float, points: float) -> Cell:
    return Cell(text, level="all" if score >= points else "some" if score > 0 else "none")


def _attention(of: Assignment) -> Table:
    rows = [
        Row((of.link(each.student, "".join(each.questions[:1])), ", ".join(each.questions), each.reason))
        for each in needing_attention(of.course, of.name, of.handed_in, of.judgements or None)
    ]
    return Table("attention", ("student", "questions", "reason"), rows)


def _by_hand(of: Assignment) -> Table:
    rows = []
    for each, grade in of.by_hand():
        link = of.link(each.student, grade.name)
        state = "waiting" if grade.waits else "marked by hand"
        rows.append(Row((link, grade.name, grade.by_hand, grade.automatic, grade.points), state))
    return Table("by-hand", ("student", "question", "mark by hand", "automatic mark", "points"), rows, "state")


def _late(of: Assignment) -> Table:
    """Who was late, who handed in nothing though they are on the list of students, and who is excused.

    Lateness counts from the current due date, with extension and grace period, to the time of the submission that was
    graded.
    """
    extensions = {each.student: in_words(each.extension) for each in of.recorded}
    rows = []
    for each in of.recorded:
        if (charge := of.charges.get((each.student, of.name))) and each.marked:
            cells = (in_words(charge.late), extensions[each.student], charge.days or None, each.penalty)
            rows.append(Row((of.link(each.student), *cells), "handed in late"))
    blank = (None, None)
    rows += [Row((of.link(name), "", extensions.get(name, ""), *blank), "nothing handed in") for name in of.missing]
    rows += [Row((of.link(name), "", "", *blank), "excused") for name in of.excused]
    return Table("late", ("student", "late by", "extension", "late days", "points lost"), rows, "state")


def _assignments(found: Sequence[Assignment], pages: Mapping[str, Path]) -> Table:
    rows = []
    for of in found:
        scores = [*of.totals.values()]
        share = statistics.fmean(scores) / of.points if of.points else 0.0
        late = sum(name == of.name for _, name in of.charges)
        people = (late, len(of.missing), len(of.excused), sum(grade.waits for _, grade in of.by_hand()))
        link = Cell(of.name, quote(pages[of.name].name))
        rows.append(
            Row((link, len(scores), of.points, statistics.median(scores), Cell(f"{share:.0%}", share=share), *people))
        )
    heads = ("assignment", "graded", "points", "median", "mean", "late", "missing", "excused", "marks waiting")
    return Table("assignments", heads, rows)


def _kinds(found: Sequence[Assignment]) -> Table:
    """How many students had each kind of mistake in each assignment."""
    who: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for of in found:
        for each in (each for given in of.questions.values() for each in given):
            for kind in each.kinds:
                who[kind][of.name].add(each.student)
    everyone = {kind: set().union(*students.values()) for kind, students in who.items()}
    rows = [
        Row((kind, *(len(who[kind][of.name]) or None for of in found), len(everyone[kind])))
        for kind in sorted(who, key=lambda kind: -len(everyone[kind]))
    ]
    return Table("kinds", ("kind of mistake", *(of.name for of in found), "in any"), rows)


def _totals(found: Sequence[Assignment]) -> Table:
    links = {student: of.link(student).text for of in found for student in (*of.totals, *of.missing, *of.excused)}
    days: Counter[str] = Counter()
    for (student, _), charge in found[0].charges.items():
        days[student] += charge.days

    def mark(of: Assignment, student: str) -> Cell:
        if (score := of.totals.get(student)) is None:
            return Cell("excused" if student in of.excused else "-")
        return _mark_cell(f"{score:g}", score, of.points)

    rows = []
    for student, text in sorted(links.items()):
        total = sum(of.totals.get(student, 0.0) for of in found)
        rows.append(Row((text, *(mark(of, student) for of in found), total, days[student] or None)))
    return Table("totals", ("student", *(of.name for of in found), "total", "late days"), rows)
