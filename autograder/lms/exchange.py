"""Takes a class's submissions from an LMS's archive, and writes marks and feedback pages that the LMS imports."""

import csv
import io
import json
import os
import re
import tempfile
import zipfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack, suppress
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath

from nbgrader.api import Student

from autograder.files import write_whole, written
from autograder.gradebook import Course, can_be_recorded, totals
from autograder.lms.canvas import Canvas
from autograder.lms.moodle import Moodle
from autograder.lms.people import Person, Row, Upload
from autograder.misplaced import is_notebook, read_member, shown
from autograder.status import to_grade
from autograder.submission_files import NotTaken
from autograder.tables import excused
from course.errors import CourseError

ARCHIVE_BOUND = 4 << 30  # bytes of all notebooks in an archive
LONGEST_NAME = 60  # characters of the name of a file that is not named as the notebook

Lms = Canvas | Moodle
Files = Sequence[tuple[Upload, zipfile.ZipInfo]]  # of one student, the oldest first
Chosen = Mapping[str, Sequence[zipfile.ZipInfo]]  # what to take of them


def read_roster(lms: Lms, path: Path) -> tuple[list[Row], list[Person]]:
    """The rows of a roster and its students. Raises CourseError if it is another file, or if two have the same id."""
    try:
        text = path.read_text(encoding="utf-8-sig")
        delimiter = max(",;", key=text.partition("\n")[0].count)
        table = csv.DictReader(io.StringIO(text), delimiter=delimiter, restval="", restkey="", strict=True)
        rows = [row for row in table if any(row.values())]  # a spreadsheet may leave rows of commas
        if missing := [column for column in lms.columns if column not in (table.fieldnames or ())]:
            raise CourseError(f"{path} is not {lms.name}'s: it has no column {' or '.join(missing)}.")
        people = list(filter(None, map(lms.person, rows)))
    except (OSError, csv.Error, ValueError, OverflowError) as error:
        raise CourseError(f"{path} cannot be read ({error}): let {lms.name} write it, in English.") from None
    if not people:
        raise CourseError(f"{path} has no student.")
    numbers, ids = Counter(each.number for each in people), Counter(each.student for each in people)
    for each in people:
        folder = each.student and can_be_recorded(each.student) and "/" not in each.student
        if not folder or each.student.startswith(".") or not each.number.isdecimal():
            raise CourseError(f"{path} has no usable id for {each.name or each.student!r}.")
        if max(numbers[each.number], ids[each.student]) > 1:
            raise CourseError(f"{path} has several students with the id of {each}.")
    return rows, people


def collect(course: Course, assignment: str, lms: Lms, roster: Path, archive: Path) -> bool:
    """Write the submissions of everyone in `roster`, with their times, and enter these students in the gradebook.

    Returns False if somebody's submission is not taken. Raises CourseError, with nothing written, if the archive or the
    roster has another form, or if they share nobody.
    """
    course.require(assignment)
    _, students = read_roster(lms, roster)
    try:
        opened = zipfile.ZipFile(archive)
    except (OSError, zipfile.BadZipFile, NotImplementedError, ValueError) as error:
        raise CourseError(f"{archive} cannot be read as a zip file ({error}).") from None
    with opened, written(f"A submission in {course.folder}"):
        found = _uploads(opened, lms)
        known = {each: found.pop(each.number) for each in students if each.number in found}
        if not known:
            raise CourseError(f"Nobody in {archive} is in {roster}: are both of the same course and assignment?")
        chosen = {each: _chosen(files, assignment) for each, files in known.items()}
        others = [name for name in course.assignments() if name != assignment]
        wrong = [name for files in known.values() for name in others if f"{name}.ipynb" in _chosen(files, name)]
        if len(wrong) > len(known) / 2 and not any(f"{assignment}.ipynb" in each for each in chosen.values()):
            raise CourseError(f"{archive} has notebooks of {wrong[0]}, and none of {assignment}: name the other one.")
        if sum(copies[-1].file_size for files in chosen.values() for copies in files.values()) > ARCHIVE_BOUND:
            raise CourseError(f"The notebooks in {archive} have more than {ARCHIVE_BOUND >> 30} GiB.")
        with tempfile.TemporaryDirectory(prefix=".collect-", dir=course.folder) as stage:
            staged = {each: Path(stage, each.number) for each in chosen if chosen[each]}
            taken = [each for each in staged if _unpacked(opened, chosen[each], staged[each], each.time)]
            pages = _page_names(course, assignment) | {each.student: known[each][-1][0].page for each in taken}
            with course.gradebook() as gradebook, ExitStack() as undo:  # whatever fails, all is as it was
                for each in students:
                    last, _, first = each.name.partition(", ")
                    gradebook.db.merge(Student(id=each.student, first_name=first, last_name=last))
                gradebook.db.flush()
                for each in taken:
                    _put(staged[each], course.path("submitted", assignment, each.student), undo)
                write_whole(course.folder / "lms" / f"{assignment}.json", json.dumps(pages, indent=1))
                gradebook.db.commit()
                undo.pop_all()
    there = {*course.students(assignment), *(each.student for each in known)}
    print(f"{assignment}: collected the submissions of {len(taken)} of {len(students)} students.")
    twice = (each for each, files in chosen.items() if any(len(copies) > 1 for copies in files.values()))
    _tell("The newest of several copies is taken", twice)
    _tell(f"Late by {lms.name}'s mark", (each for each in known if any(upload.late for upload, _ in known[each])))
    _tell("Nothing handed in", (each for each in students if each.student not in there))
    count = _tell(f"Not in {roster}", (f"{files[0][0].name} ({number})" for number, files in found.items()))
    count += _tell("Not taken, since a file is damaged or too large", (each for each in staged if each not in taken))
    return not count + _tell("Not taken, since there is no notebook", (each for each in known if not chosen[each]))


def _uploads(archive: zipfile.ZipFile, lms: Lms) -> dict[str, Files]:
    """The files of each person, by number. Raises CourseError for names that no LMS makes."""
    found: dict[str, list[tuple[Upload, zipfile.ZipInfo]]] = defaultdict(list)
    for member in archive.infolist():
        path = PurePosixPath(member.filename.replace("\\", "/"))
        if path.is_absolute() or ".." in path.parts:
            raise CourseError(f"{archive.filename} has a path that leads out of it, {member.filename!r}.")
        hidden = any(part.startswith((".", "__MACOSX")) for part in path.parts)
        if not hidden and (upload := lms.upload(str(path))):
            found[upload.number].append((upload, member))
    if not found:
        raise CourseError(f"{archive.filename} has no file with a name that {lms.name} makes.")
    return {number: sorted(files, key=lambda each: each[0].order) for number, files in found.items()}


def _chosen(files: Files, assignment: str) -> Chosen:
    """The files to take, by their names here: the copies of the notebook, the oldest first.

    LMSs and browsers call a copy `name-1` or `name (1)`. Without any, notebooks of other names and zip files are taken,
    and grading looks for the notebook there.
    """
    form = re.compile(re.escape(assignment) + r"((?:-\d+| ?\(\d+\))*)\.ipynb", re.IGNORECASE)
    named = [(upload.order, form.fullmatch(PurePosixPath(upload.file).name), member) for upload, member in files]
    copies = [(order, [*map(int, re.findall(r"\d+", copy[1]))], member) for order, copy, member in named if copy]
    if copies:
        return {f"{assignment}.ipynb": [member for *_, member in sorted(copies, key=lambda each: each[:2])]}
    chosen: dict[str, list[zipfile.ZipInfo]] = {}
    for upload, member in files:
        name = upload.file.replace("/", " ")[-LONGEST_NAME:].lstrip(".")
        if is_notebook(name) or name.lower().endswith(".zip"):
            chosen.setdefault(name, []).append(member)
    return chosen


def _unpacked(archive: zipfile.ZipFile, files: Chosen, folder: Path, time: datetime | None) -> bool:
    """Whether the newest files of a submission could be unpacked to a new folder."""
    folder.mkdir()
    if time:
        (folder / "timestamp.txt").write_text(f"{time.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC\n")
    with suppress(NotTaken):
        for name, copies in files.items():
            (folder / name).write_bytes(read_member(archive, copies[-1], str(archive.filename)))
        return True
    return False


def _put(new: Path, target: Path, undo: ExitStack) -> None:
    """Rename a folder to `target`, and what is there to a folder beside `new`. `undo` can take both back."""
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError) as error:
        raise CourseError(f"{error.filename} is not a folder: give it another name, and collect again.") from None
    if os.path.lexists(target):
        target.rename(before := Path(f"{new}-before"))
        undo.callback(before.rename, target)
    new.rename(target)
    undo.callback(target.rename, new)


def export(course: Course, assignment: str, lms: Lms, roster: Path) -> bool:
    """Write the marks of everyone in `roster` to `grading/lms/`. If `assignment` is "", all with a mark are written.

    Returns False if a mark does not arrive or is not final. Raises CourseError, with nothing written, if there is no
    mark, or if a roster is of one assignment and several have marks.
    """
    rows, people = read_roster(lms, roster)
    recorded = {name: course.recorded(name) for name in ([assignment] if assignment else course.assignments())}
    with course.gradebook() as gradebook:
        excuses = excused(gradebook)
    marked = {name: found for name, all in recorded.items() if (found := [each for each in all if each.counts])}
    if not marked:
        raise CourseError(f"There is no mark to export: run `autograder grade {assignment or 'ASSIGNMENT'}` first.")
    if lms.one_at_a_time and len(marked) > 1:
        raise CourseError(f"{roster} is of one assignment: name it in the command, {' or '.join(marked)}.")
    grades: dict[str, tuple[float, dict[str, float | None]]] = {}
    for name, found in marked.items():
        pages = _page_names(course, name)
        if any(f"_{each.number}_" not in pages.get(each.student, f"_{each.number}_") for each in people):
            raise CourseError(
                f"{roster} has other numbers than what was collected for {name}: is it of this assignment?"
            )
        most, marks = totals(found)
        grades[name] = most, {**marks, **{student: None for student, of in excuses if of == name}}
    filled, text = lms.filled(rows, people, grades), io.StringIO()
    table = csv.DictWriter(text, list(filter(None, filled[0])), extrasaction="ignore", lineterminator="\n")
    table.writeheader()
    table.writerows(filled)
    target = course.folder / "lms" / f"{next(iter(marked)) if lms.one_at_a_time else 'grades'}-{lms.name.lower()}.csv"
    write_whole(target, text.getvalue())
    print(f"The marks for {', '.join(grades)} are in {target}.")
    there = {student for _, marks in grades.values() for student, mark in marks.items() if mark is not None}
    free = {student for _, marks in grades.values() for student, mark in marks.items() if mark is None}
    fresh = {who for name in marked for who in to_grade(course, name, recorded[name]) if (who, name) not in excuses}
    waiting = {each.student for all in marked.values() for each in all if any(grade.waits for grade in each.grades)}
    above = {student for most, marks in grades.values() for student, mark in marks.items() if (mark or 0) > most}
    count = _tell(f"Not in {roster}", sorted(there - {each.student for each in people}))
    count += _tell("Handed in, but not graded", (each for each in people if each.student in fresh))
    count += _tell("Waiting for a mark by hand", (each for each in people if each.student in waiting))
    if lms.one_at_a_time:
        stays = [each for each in people if each.student in free and each.row["Grade"].strip("- ")]
        count += _tell(f"Excused, but with a grade that must be removed in {lms.name}", stays)
        refused = [each for each in people if each.student in above]
        count += _tell(f"Above the maximum grade, so {lms.name} does not take the mark", refused)
    else:
        columns = zip(grades.values(), [*filled[0]][-len(grades) :], strict=True)
        cells = (
            (marks.get(each.student), row[title], each)
            for (_, marks), title in columns
            for each, row in zip(people, filled[1:], strict=True)
        )
        kept = dict.fromkeys(each for mark, cell, each in cells if cell == "EX" and mark is not None)
        count += _tell(f"Excused in {lms.name}, which does not take the mark", kept)
    return not count


def pack(course: Course, assignment: str) -> bool:
    """Write a zip file of the feedback pages of everyone whose submission was collected.

    Returns False if a page is missing. Raises CourseError, with nothing written, if there is no page.
    """
    course.require(assignment)
    if not (names := _page_names(course, assignment)):
        raise CourseError(f"Nothing was collected from an LMS for {assignment}: run `autograder collect` first.")
    paths = {each: course.notebook("feedback", assignment, each).with_suffix(".html") for each in names}
    if not (found := {student: path for student, path in paths.items() if path.exists()}):
        raise CourseError(f"There is no feedback page: run `autograder grade {assignment}` first.")
    content, target = io.BytesIO(), course.folder / "lms" / f"{assignment}-feedback.zip"
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for student, path in found.items():
            archive.write(path, names[student] + path.name)
    write_whole(target, content.getvalue())
    print(f"{len(found)} feedback pages are in {target}.")
    fresh = {*to_grade(course, assignment, course.recorded(assignment))} & {*found}
    count = _tell("Handed in again, but not graded", sorted(fresh))
    return not count + _tell("Without a feedback page", sorted(paths.keys() - found.keys()))


def _page_names(course: Course, assignment: str) -> dict[str, str]:
    """By student, how the name of a feedback page must begin in an archive that goes back."""
    path = course.folder / "lms" / f"{assignment}.json"
    return json.loads(path.read_text()) if path.exists() else {}


def _tell(what: str, who: Iterable[object]) -> int:
    """Print a line about people, if there are any, and return how many."""
    if names := [shown(str(each)) for each in who]:
        print(f"{what}: {len(names)} ({', '.join(names)})")
    return len(names)
