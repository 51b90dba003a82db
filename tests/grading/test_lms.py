"""From an archive of Canvas or Moodle to files that go back: `autograder collect`, `export` and `feedback`."""

from __future__ import annotations

import csv
import json
import os
import shutil
import sqlite3
import sys
import zipfile
from collections.abc import Callable
from contextlib import closing
from datetime import datetime
from pathlib import Path

import pytest
from nbgrader.api import Gradebook

from autograder import cli
from autograder.classroom import ROOT
from autograder.grade import _logging
from autograder.gradebook import Course
from autograder.lms import exchange
from autograder.misplaced import read_handed_in
from autograder.plugins.export import CsvExport
from course.errors import CourseError
from tests.classes import of_questions
from tests.grading.lms import CLASS, NAME, archive, canvas_path, canvas_roster, moodle_path, moodle_worksheet, write

Run = Callable[..., tuple[int, str]]
quick = pytest.mark.quick
pytestmark = pytest.mark.filterwarnings("ignore::sqlalchemy.exc.SAWarning")  # nbgrader's own
FORMS = {"canvas": (canvas_path, canvas_roster), "moodle": (moodle_path, moodle_worksheet)}


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course of two assignments with 8 points each."""
    folder = tmp_path_factory.mktemp("empty")
    shutil.copy(ROOT / "nbgrader_config.py", folder)
    (folder / "grading").mkdir()
    with Gradebook(f"sqlite:///{folder}/grading/gradebook.db", "cuda-kernels") as gradebook:
        for name in (NAME, "01-memory"):
            (folder / "solutions" / name).mkdir(parents=True)
            (folder / "solutions" / name / f"{name}.ipynb").write_text("{}")
            gradebook.add_assignment(name)
            gradebook.add_notebook(name, name)
            gradebook.add_grade_cell("q", name, name, max_score=8, cell_type="code")
    return folder


@pytest.fixture
def course(empty: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, in_zone: Callable[[str], None]) -> Path:
    """The course in the current folder, in a time zone two hours before UTC."""
    shutil.copytree(empty, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", sys.path[:])
    in_zone("Africa/Cairo")
    return tmp_path


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a command of the autograder: its exit status, and what it prints."""

    def run(*arguments: object) -> tuple[int, str]:
        return cli.main(list(map(str, arguments))), "".join(capsys.readouterr())

    return run


def mark(scores: dict[str, float], assignment: str = NAME, waits: str = "") -> None:
    with Course().gradebook() as gradebook:
        for student, score in scores.items():
            gradebook.update_or_create_student(student)
            gradebook.add_submission(assignment, student)
            grade = gradebook.find_grade("q", assignment, assignment, student)
            grade.auto_score, grade.needs_manual_grade = score, student == waits
        gradebook.db.commit()


def everything(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def folder_name(form: str, number: int) -> str:
    return str(number) if form == "canvas" else next(each.email for each in CLASS if each.number == number)


@quick
@pytest.mark.parametrize("form", FORMS)
def test_a_class_is_collected_by_ids(form: str, course: Path, run: Run) -> None:
    path, roster = FORMS[form]
    zipped = archive(course / "all.zip", path, b'{"cells": []}')
    people = roster(course / "people.csv")
    with people.open("a") as file:
        file.write(",,,\n")  # as a spreadsheet leaves it
    status, said = run("collect", NAME, zipped, f"--{form}", people)
    there = {each.number for each in CLASS} - {4710, 4711, 4712, 4728, 4729}
    assert status == 1 and {*os.listdir("grading/submitted")} == {folder_name(form, number) for number in there}
    special = {4705: f"{NAME}-1", 4706: f"{NAME} (1)", 4707: "my work", 4709: f"{NAME}-10"}
    for number in range(4700, 4710):
        text, _ = read_handed_in(Path("grading/submitted", folder_name(form, number), NAME, f"{NAME}.ipynb"))
        assert json.loads(text)["upload"] == f"{number}/{special.get(number, NAME)}.ipynb"
    assert f"{NAME}: collected the submissions of 25 of 28 students." in said
    assert "The newest of several copies is taken: 2 (" in said
    assert "Nothing handed in: 2 (" in said and "(4711)" in said
    assert f"Not in {course}/people.csv: 2 (" in said and "(4728)" in said and "(4729)" in said
    assert "Not taken, since there is no notebook: 1 (" in said and "(4710)" in said
    with Course().gradebook() as gradebook:
        assert len(gradebook.students) == 28
        assert "Nguyễn" in gradebook.find_student(folder_name(form, 4706)).last_name
    times = [Course().receipt("submitted", NAME, folder_name(form, number)).time for number in (4700, 4701)]
    if form == "canvas":  # only marks late work
        assert "Late by Canvas's mark: 3 (Gödel, Kurt (4701), " in said and times == [None, None]
    else:
        assert "Late by" not in said and times == [datetime(2026, 12, 1, 15, 30), datetime(2026, 12, 1, 19, 5)]
    assert not list(Path("grading").glob(".collect-*"))


@quick
def test_a_second_archive_replaces_the_first(course: Path, run: Run) -> None:
    roster = canvas_roster(course / "canvas.csv")
    run("collect", NAME, archive(course / "all.zip", canvas_path, b"{}"), "--canvas", roster)
    late = archive(course / "late.zip", canvas_path, b'{"new": 1}', CLASS[:2])
    status, said = run("collect", NAME, late, "--canvas", roster)
    assert status == 0 and "of 2 of 28 students" in said and "Nothing handed in: 3 (" in said
    texts = [Path(f"grading/submitted/{number}/{NAME}/{NAME}.ipynb").read_text() for number in (4700, 4702)]
    assert "new" in texts[0] and "new" not in texts[1]
    assert len(json.loads(Path(f"grading/lms/{NAME}.json").read_text())) == 25


@quick
def test_marks_go_back_to_canvas(course: Path, run: Run) -> None:
    roster = canvas_roster(course / "canvas.csv", "8,00", ";")
    mark({"4700": 8, "4703": 2.505, "4704": 0, "4705": 7, "4713": 5, "gone": 1}, waits="4705")
    mark({"4700": 4, "4704": 3}, "01-memory")
    run("excuse", "4704", "01-memory")
    status, said = run("export", "--canvas", roster)
    assert status == 1 and f"Not in {roster}: 1 (gone)" in said and "by hand: 1 (Smith, John (4705))" in said
    header, points, *rows = csv.reader(Path("grading/lms/grades-canvas.csv").read_text().splitlines())
    assert header == ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", f"{NAME} (815)", "01-memory"]
    assert points == ["    Points Possible", "", "", "", "", "8", "8"]
    marks = {row[1]: row[5:] for row in rows}
    assert list(marks) == [str(each.number) for each in CLASS if each.listed]
    expected = {"4700": ["8", "4"], "4703": ["2.5", ""], "4704": ["0", "EX"], "4705": ["7", ""]}
    expected |= {"4711": ["3.00", ""], "4713": ["EX", ""]}  # Canvas's own marks
    assert marks == {number: expected.get(number, ["", ""]) for number in marks}
    assert rows[2][:5] == ["O'Brien, Seán", "4702", "U4702", "obrien4702@uni.example", "Monday"]


@quick
def test_marks_that_canvas_does_not_get_are_told(course: Path, run: Run) -> None:
    roster = canvas_roster(course / "canvas.csv", "8.00")
    run("collect", NAME, archive(course / "all.zip", canvas_path, b"{}", CLASS[:3]), "--canvas", roster)
    mark({"4700": 8, "4713": 5})  # the second is excused in Canvas
    run("excuse", "4702", NAME)
    status, said = run("export", "--canvas", roster)
    assert "Handed in, but not graded: 1 (Gödel, Kurt (4701))" in said and status == 1
    assert "Excused in Canvas, which does not take the mark: 1 (Hopper, Grace (4713))" in said
    mark({"4701": 1})
    run("excuse", "4713", NAME)
    assert run("export", "--canvas", roster)[0] == 0
    roster.write_text(roster.read_text().replace("Quiz", NAME))
    before = everything(course)
    status, said = run("export", "--canvas", roster)
    assert status == 2 and f"Canvas has several assignments {NAME}" in said and everything(course) == before


@quick
def test_a_worksheet_of_another_assignment_is_refused(course: Path, run: Run) -> None:
    worksheet = moodle_worksheet(course / "moodle.csv")
    run("collect", NAME, archive(course / "all.zip", moodle_path, b"{}"), "--moodle", worksheet)
    mark({folder_name("moodle", 4700): 8})
    assert run("export", NAME, "--moodle", worksheet)[0] == 1  # others wait
    worksheet.write_text(worksheet.read_text(encoding="utf-8").replace("Participant 4", "Participant 5"))
    before = everything(course)
    status, said = run("export", NAME, "--moodle", worksheet)
    assert status == 2 and f"other numbers than what was collected for {NAME}" in said and everything(course) == before


@quick
def test_the_newer_of_two_files_of_one_name_is_taken_and_names_do_not_steer_the_terminal(
    course: Path, run: Run
) -> None:
    with zipfile.ZipFile(A, "w") as zipped:
        for name in (
            "ada_4700_9_work.ipynb",
            "ada_4700_11_work.ipynb",
            "ada_4700_10_work.ipynb",
            "\x1b[2J\u202e_1_2_a.ipynb",
        ):
            zipped.writestr(name, name)
    status, said = run("collect", NAME, A, "--canvas", canvas_roster(X))
    assert status == 1 and "Not in x.csv: 1 (?[2J? (1))" in said
    assert Path(f"grading/submitted/4700/{NAME}/work.ipynb").read_text() == "ada_4700_11_work.ipynb"


@quick
def test_marks_go_back_to_moodle(course: Path, run: Run) -> None:
    worksheet = moodle_worksheet(course / "moodle.csv")
    mark({folder_name("moodle", number): score for number, score in {4700: 8, 4704: 0, 4705: 7.25, 4706: 9}.items()})
    given = worksheet.read_text(encoding="utf-8").replace("Draft,,", "Draft,3.00,", 6)
    worksheet.write_text(given, encoding="utf-8")
    run("excuse", folder_name("moodle", 4705), NAME)
    status, said = run("export", "--moodle", worksheet)
    assert "Excused, but with a grade that must be removed in Moodle: 1 (John Smith (4705))" in said
    assert status == 1 and "Above the maximum grade, so Moodle does not take the mark: 1 (Thị Ánh Ngu" in said
    with open(f"grading/lms/{NAME}-moodle.csv", newline="") as after, open(worksheet, encoding="utf-8-sig") as before:
        old, new = list(csv.DictReader(before)), list(csv.DictReader(after))
    grades = {row["Identifier"]: row.pop("Grade") for row in new}
    marks = {"Participant 4700": "8", "Participant 4704": "0", "Participant 4706": "9"}
    assert grades == dict.fromkeys(grades, "") | dict.fromkeys(list(grades)[:5], "3.00") | marks
    assert new == [{column: text for column, text in row.items() if column != "Grade"} for row in old]
    mark({folder_name("moodle", 4700): 1}, "01-memory")
    assert run("export", "--moodle", worksheet)[0] == 2 and run("export", "01-memory", "--moodle", worksheet)[0] == 0


@quick
def test_pages_go_back_under_the_names_that_the_lms_gave(course: Path, run: Run) -> None:
    assert run("feedback", NAME, "--zip")[0] == 2
    for form, (path, roster) in FORMS.items():
        shutil.rmtree("grading/lms", ignore_errors=True)
        run("collect", NAME, archive(course / "all.zip", path, b"{}"), f"--{form}", roster(course / "people.csv"))
        assert run("feedback", NAME, "--zip")[0] == 2
        for number in (4701, 4705, 4708):
            page = Path("grading/feedback", folder_name(form, number), NAME, f"{NAME}.html")
            page.parent.mkdir(parents=True)
            page.write_text(str(number))
        mark(dict.fromkeys((folder_name(form, number) for number in (4701, 4705, 4708)), 1))
        status, said = run("feedback", NAME, "--zip")
        assert status == 1 and "Without a feedback page: 22 (" in said
        again = form == "moodle"  # whose times tell
        assert ("Handed in again, but not graded: 3 (" in said) == again and ("Handed in again" in said) == again
        with zipfile.ZipFile(f"grading/lms/{NAME}-feedback.zip") as zipped:
            pages = {name: zipped.read(name).decode() for name in zipped.namelist()}
        names = ("gödelkurt_LATE_4701_9904701_", "smithjohn_4705_9914705_", "łukasiewiczjan_4708_9904708_")
        if form == "moodle":
            folders = ("Kurt Gödel_4701", "John Smith_4705", "Jan Łukasiewicz_4708")
            names = tuple(f"{folder}_assignsubmission_file_/" for folder in folders)
        assert pages == dict(zip((f"{name}{NAME}.html" for name in names), ("4701", "4705", "4708"), strict=True))


A, X = Path("a.zip"), Path("x.csv")


def people(*rows: tuple[str, object]) -> Path:
    """A roster with these names and ids."""
    return write(X, [["Student", "ID", "Section"], *([*row, "Monday"] for row in rows)])


def zipped_with(name: str) -> Path:
    """An archive with another file, of this name."""
    with zipfile.ZipFile(archive(A, canvas_path), "a") as zipped:
        zipped.writestr(name, b"{}")
    return A


ROSTERS = {  # by what is said about them
    "x.csv is not Canvas's: it has no column Student or ID": lambda: moodle_worksheet(X),
    "none.csv cannot be read": lambda: Path("none.csv"),
    "x.csv cannot be read": lambda: archive(X, canvas_path),
    "x.csv has no student": lambda: people(),
    "x.csv has several students with the id of Lovelace, Ada (4700).": lambda: people(*2 * [("Lovelace, Ada", 4700)]),
    "x.csv has no usable id for 'Gödel, Kurt'": lambda: people(("Gödel, Kurt", "")),
    "x.csv has no usable id for 'Lovelace, Ada'": lambda: people(("Lovelace, Ada", "../4700")),
    "Nobody in a.zip is in x.csv": lambda: people(("Lovelace, Ada", 1)),
}
ARCHIVES = {
    "a.zip has no file with a name that Canvas makes": lambda: archive(A, moodle_path),
    "a.zip has no file with a name that Canvas makes.": lambda: archive(A, canvas_path, students=()),
    "none.zip cannot be read as a zip file": lambda: Path("none.zip"),
    "a.zip cannot be read as a zip file": lambda: canvas_roster(A),
    "a path that leads out of it, '../x_4700_1_a.ipynb'": lambda: zipped_with("../x_4700_1_a.ipynb"),
    r"a path that leads out of it, 'a\\..\\..\\x_4700_1_a.ipynb'": lambda: zipped_with(r"a\..\..\x_4700_1_a.ipynb"),
    "a path that leads out of it, '/x_4700_1_a.ipynb'": lambda: zipped_with("/x_4700_1_a.ipynb"),
    "a.zip has notebooks of 01-memory, and none of 00-first-kernel": lambda: archive(
        A, lambda *student: canvas_path(*student).replace(NAME, "01-memory")
    ),
    "more than 0 GiB": lambda: archive(A, canvas_path, b'{"a": "%s"}' % (b"a" * (1 << 20))),
}


@quick
@pytest.mark.parametrize("text", [*ROSTERS, *ARCHIVES])
def test_bad_input_is_one_sentence_and_writes_nothing(
    text: str, course: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exchange, "ARCHIVE_BOUND", 10 << 20)
    zipped = ARCHIVES.get(text, lambda: archive(A, canvas_path))()
    roster = ROSTERS.get(text, lambda: canvas_roster(Path("r.csv")))()
    before = everything(course)
    status, said = run("collect", NAME, zipped, "--canvas", roster)
    assert status == 2 and text in said and said.count("\n") == 1
    assert everything(course) == before


def a_file_in_the_way(*_: object) -> str:
    Path("grading/submitted/4701").write_text("")
    return "grading/submitted/4701 is not a folder: give it another name"


def a_failed_rename(patch: pytest.MonkeyPatch, _: object) -> str:
    def rename(source: Path, target: Path, rename=os.rename) -> None:
        if str(source).endswith("/4702"):  # the new folder, after the old one has made room
            raise OSError(5, "Input/output error")
        rename(source, target)

    patch.setattr(os, "rename", rename)
    return "cannot be written (Input/output error)"


def a_failed_write(patch: pytest.MonkeyPatch, _: object) -> str:
    def write(*_: object) -> None:
        raise OSError(28, "No space left on device")

    patch.setattr(exchange, "write_whole", write)
    return "cannot be written (No space left on device)"


def a_locked_gradebook(_: object, gradebook: sqlite3.Connection) -> str:
    gradebook.execute("BEGIN IMMEDIATE")
    return "is locked"


@quick
@pytest.mark.parametrize("failing", [a_file_in_the_way, a_failed_rename, a_failed_write, a_locked_gradebook])
def test_a_failure_leaves_the_submissions_that_were_there(
    failing: Callable[..., str], course: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    there = [CLASS[0], *CLASS[2:5]]
    roster, first = people(*((each.name, each.number) for each in there)), archive(A, canvas_path, b"{}", there)
    assert run("collect", NAME, first, "--canvas", roster)[0] == 0
    canvas_roster(roster)
    archive(A, canvas_path, b'{"new": 1}', CLASS[:5])
    with monkeypatch.context() as patch, closing(sqlite3.connect("grading/gradebook.db")) as gradebook:
        reason = failing(patch, gradebook)
        before = everything(course)
        status, said = run("collect", NAME, A, "--canvas", roster)
        assert status == 2 and reason in said and said.count("\n") == 1
        assert everything(course) == before


@quick
def test_a_file_that_cannot_be_put_in_place_leaves_no_part_of_it(course: Path, run: Run, monkeypatch) -> None:
    def replace(*_: object) -> None:
        raise OSError(28, "No space left on device")

    mark({"4700": 8})
    before = everything(course)
    monkeypatch.setattr(Path, "replace", replace)
    status, said = run("export", "--canvas", canvas_roster(course.parent / "canvas.csv"))
    assert status == 2 and "No space left on device" in said and everything(course) == before


@quick
def test_what_nobody_may_write_is_one_sentence(course: Path) -> None:
    said = Course().unusable(sqlite3.OperationalError("attempt to write a readonly database"))
    assert "give yourself the rights" in said and "copy" not in said
    (course / "grading" / "autograder.log").mkdir()
    with pytest.raises(CourseError, match=r"autograder\.log cannot be written"), _logging(Course()):
        pass


@quick
def test_nbgraders_table_has_no_formula(course: Path) -> None:
    mark({"=1": 8})
    with Course().gradebook() as gradebook:
        gradebook.update_or_create_student("=1", last_name="=1+1", first_name="-", email="@SUM(1)")
        CsvExport(to=str(course / "grades.csv"), assignment=[NAME]).export(gradebook)
    assert (course / "grades.csv").read_text().splitlines()[1].startswith(f"{NAME},,,=1,'=1+1,-,'@SUM(1),8.0,")


@quick
def test_a_damaged_file_costs_nobody_else_the_submission(course: Path, run: Run) -> None:
    data, name = archive(A, canvas_path, b"{}", CLASS[:3]).read_bytes(), canvas_path(CLASS[1], 0).encode()
    content = data.index(name) + len(name)
    A.write_bytes(data[:content] + b"\xff" + data[content + 1 :])
    status, said = run("collect", NAME, A, "--canvas", canvas_roster(X))
    assert status == 1 and "Not taken, since a file is damaged or too large: 1 (Gödel, Kurt (4701))" in said
    assert sorted(os.listdir("grading/submitted")) == ["4700", "4702"]


@quick
@pytest.mark.parametrize("form", FORMS)
def test_marks_out_of_other_points_are_refused(form: str, course: Path, run: Run) -> None:
    mark({folder_name(form, 4700): 8})
    before = everything(course)
    status, said = run("export", f"--{form}", FORMS[form][1](course.parent / "people.csv", "10.00"))
    assert status == 2 and f"{NAME} has 10.00 points in {form.title()} and 8 in the gradebook" in said
    assert everything(course) == before


@quick
@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("Tuesday, 1 December", "Dienstag, 1. Dezember", "let Moodle write it, in English"),
        ("Tuesday, 1 December 2026, 5:30", "01/12/2026, 5:30", "let Moodle write it, in English"),
        ("1 December 2026, 5:30 PM", "December, 5:30 PM", "let Moodle write it, in English"),
        ("1 December 2026", f"{10**20} December 2026", "let Moodle write it, in English"),
        ("Lovelace4700@", "../4700@", "has no usable id for 'Ada Lovelace'"),
        ("Lovelace4700@", "a/b@", "has no usable id for 'Ada Lovelace'"),
        ("Full name", "Nom", "x.csv is not Moodle's: it has no column Full name"),
        ("Maximum Grade", "Scale", "x.csv is not Moodle's: it has no column Maximum Grade"),
    ],
)
def test_a_worksheet_that_cannot_be_used_is_refused(old: str, new: str, said: str, course: Path, run: Run) -> None:
    X.write_text(moodle_worksheet(X).read_text(encoding="utf-8").replace(old, new))
    status, printed = run("collect", NAME, archive(A, moodle_path), "--moodle", X)
    assert status == 2 and said in printed and printed.count("\n") == 1 and not Path("grading/submitted").exists()


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
def test_a_class_goes_from_the_lms_and_back(form: str, tmp_path: Path, monkeypatch, run: Run) -> None:
    """Three students, one of them late, graded with real nbgrader."""
    room = of_questions(tmp_path / "room", NAME, {"00-blocks"})
    monkeypatch.chdir(room.folder)
    path, make_roster = FORMS[form]
    notebook = (room.folder / "solutions" / NAME / f"{NAME}.ipynb").read_bytes()
    zipped = archive(tmp_path / "a.zip", path, notebook, [CLASS[1], CLASS[4], CLASS[5]])
    points = sum(cell["metadata"]["nbgrader"].get("points", 0) for cell in json.loads(notebook)["cells"])
    roster = make_roster(tmp_path / "people.csv", f"{points:.2f}")
    with (room.folder / "nbgrader_config.py").open("a") as config:
        config.write('\nc.LateSubmissionPlugin.penalty_method = "zero"\n')
    assert run("due", NAME, "2026-12-01 18:00")[0] == 0
    assert run("collect", NAME, zipped, f"--{form}", roster)[0] == 0
    status, said = run("grade", "--no-sandbox", NAME)
    assert status == 0, said
    status, said = run("export", f"--{form}", roster)
    assert status == 0, said
    (table,) = Path("grading/lms").glob("*.csv")
    rows = list(csv.DictReader(table.read_text().splitlines()))
    marks = [row["Grade" if form == "moodle" else f"{NAME} (815)"] for row in rows]
    late = "0" if form == "moodle" else f"{points:g}"  # Canvas's archive has no times
    place = 0 if form == "moodle" else 1  # below the points
    assert [marks[place + student] for student in (1, 4, 5, 6)] == [late, f"{points:g}", f"{points:g}", ""]
    assert run("feedback", NAME, "--zip")[0] == 0
    with zipfile.ZipFile(f"grading/lms/{NAME}-feedback.zip") as pages:
        assert len(pages.namelist()) == 3 and all(b"</html>" in pages.read(name) for name in pages.namelist())
