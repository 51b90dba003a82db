"""The report and the similar answers of a class of 60 with known mistakes and copies, with recorded verdicts."""

from __future__ import annotations

import csv
import json
import re
import sys
from pathlib import Path

import pytest

from autograder import cli
from autograder.classroom import Classroom
from autograder.gradebook import Course
from course.html import with_code
from tests import taught
from tests.grading.test_report import Outline

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::sqlalchemy.exc.SAWarning")]  # nbgrader's own
SAME = {"00-index-adds-the-block", "00-index-multiplied"}  # whose verdicts say the same


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> Classroom:
    room = taught.released(Path(tmp_path_factory.mktemp("taught")))
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(room.folder)
        patch.setattr(sys, "path", sys.path[:])  # nbgrader puts the current folder there
        taught.marked(Course())
    return room


@pytest.fixture(autouse=True)
def here(room: Classroom, monkeypatch: pytest.MonkeyPatch) -> Classroom:
    monkeypatch.chdir(room.folder)
    monkeypatch.setattr(sys, "path", sys.path[:])
    return room


def report(*arguments: str) -> Path:
    """The folder of the reports, after one was written."""
    assert cli.main(["report", *arguments]) == 0
    return Path("grading", "reports")


def table(name: str, of: str = taught.NAME) -> list[dict[str, str]]:
    """A table of the report, from its CSV file."""
    with Path("grading", "reports", of, f"{name}.csv").open(newline="") as lines:
        return list(csv.DictReader(lines))


def test_every_mistake_has_a_row_with_the_names_behind_it():
    page = (report(taught.NAME) / f"{taught.NAME}.html").read_text()
    causes = [row for row in table("causes") if row["kind"] != "not attempted"]
    who = {name.split("(")[1].removesuffix(")"): row for row in reversed(causes) for name in row["who"].split("; ")}
    students = taught.students()
    wrong = {student: each.mistake for student, each in students.items() if each.mistake}
    assert len(wrong) == 30 and wrong.keys() <= who.keys()
    rows = {mistake: (who[student]["answer"], who[student]["cause"]) for student, mistake in wrong.items()}
    apart = {row for mistake, row in rows.items() if mistake not in SAME}
    assert len(apart) == 30 - len(SAME) and len({rows[mistake] for mistake in SAME}) == 1
    assert all(str(with_code(row["cause"]))[:50].split("<")[0] in page for row in table("causes"))


def test_work_that_was_not_attempted_is_a_row_of_its_own_and_no_mistake():
    report(taught.NAME)
    blank = [student for student, each in taught.students().items() if "00-relu" not in each.answers]
    (row,) = [row for row in table("causes") if row["answer"] == "00-relu"]
    assert row["kind"] == "not attempted" and row["students"] == str(len(blank))
    (question,) = [row for row in table("questions") if row["question"] == "00-relu-check"]
    assert question["not attempted"] == str(len(blank))
    assert {row["00-relu-check"] for row in table("students") if "wrong-" in row["student"]} == {"-"}


def test_difficulty_and_discrimination_agree_with_a_calculation_by_hand():
    report(taught.NAME)
    count = len(taught.students())
    questions = {row["question"]: row for row in table("questions")}
    right = sum("wrong-blocks" not in student for student in taught.students())
    assert float(questions["00-blocks-check"]["difficulty"]) == pytest.approx(right / count, abs=0.005)
    scores = [[float(row[name].replace("-", "0")) for name in questions] for row in table("students")]
    one = [row[1] for row in scores]
    rest = [sum(row) - row[1] for row in scores]
    mean, other = sum(one) / count, sum(rest) / count
    products = sum((a - mean) * (b - other) for a, b in zip(one, rest, strict=True))
    spread = (sum((a - mean) ** 2 for a in one) * sum((b - other) ** 2 for b in rest)) ** 0.5
    assert float(list(questions.values())[1]["discrimination"]) == pytest.approx(products / spread, abs=0.005)


def test_bets_late_and_missing_work_and_marks_by_hand_are_on_the_page():
    with Course().gradebook() as gradebook:
        first, second = (gradebook.find_submission(taught.NAME, f"right-{number}") for number in (18, 19))
        first.notebooks[0].grades[0].manual_score, second.notebooks[0].grades[0].needs_manual_grade = 0.5, True
        gradebook.db.commit()
    report(taught.NAME)
    (bet,) = table("bets")
    assert (bet["bet"], bet["guesses"], bet["lowest"], bet["highest"]) == ("one kernel over two", "25", "1", "3.4")
    late = [(row["state"], row["late by"]) for row in table("late")]
    assert late == [("handed in late", "1 d")] * 3 + [("nothing handed in", "")]
    assert [(row["state"], row["mark by hand"]) for row in table("by-hand")] == [
        ("waiting", ""),
        ("marked by hand", "0.5"),
    ]


def test_a_projection_has_no_names_and_no_hidden_inputs():
    page = (report(taught.NAME, "--projection") / f"{taught.NAME}-projection.html").read_text()
    assert "Zoë" not in page and "Quill" not in page and "Absent" not in page
    assert not [student for student in taught.students() if re.search(rf"{re.escape(student)}\b", page)]
    recorded = json.loads(taught.RECORDED.read_text())
    both = [(name, judgement["verdict"]) for found in recorded.values() for name, judgement in found.items()]
    visible = {verdict["diagnosis"] for name, verdict in both if "hidden" not in name}
    hidden = {verdict["diagnosis"] for name, verdict in both if "hidden" in name} - visible
    assert hidden and not [text for text in hidden if str(with_code(text)) in page]
    assert "not attempted" in page and "difficulty" in page  # it is still a report


def test_the_page_of_the_course_has_everyone_and_links_to_its_assignments():
    folder = report()
    page = (folder / "course.html").read_text()
    assert f'<a href="{taught.NAME}.html">' in page and (folder / f"{taught.NAME}.html").exists()
    students = table("totals", "course")
    assert len(students) == len(taught.students()) + 1
    assert [row[taught.NAME] for row in students if "absent" in row["student"]] == ["-"]
    (row,) = [row for row in table("kinds", "course") if row["kind of mistake"] == "does not build"]
    assert int(row["in any"]) == sum("does not build" in row["kind"] for row in table("causes"))


@pytest.mark.parametrize("projection", [[], ["--projection"]])
def test_the_pages_need_no_script_and_can_be_read_aloud(projection):
    folder = report(*projection)
    for name in ("course", taught.NAME):
        page = (folder / f"{name}{'-projection' if projection else ''}.html").read_text()
        outline = Outline(page)
        assert not outline.of("script") and len(outline.of("caption")) == len(outline.of("table")) > 1
        assert all(each.get("scope") in ("col", "row", "rowgroup") for each in outline.of("th"))
        assert len({each["id"] for each in outline.of("h2")}) == len(outline.of("h2"))


@pytest.mark.parametrize("arguments", [[taught.NAME], [taught.NAME, "--projection"], []])
def test_a_folder_that_cannot_be_written_is_one_sentence(capsys, arguments):
    folder, away = Path("grading", "reports"), Path("grading", "reports.away")
    folder.mkdir(exist_ok=True)
    folder.rename(away)
    folder.write_text("a file")
    try:
        assert cli.main(["report", *arguments]) == 2
        assert folder.read_text() == "a file"
    finally:
        folder.unlink()
        away.rename(folder)
    told = capsys.readouterr().err
    assert "cannot be written" in told and told.count("\n") == 1


def test_all_copies_are_listed_and_no_other_pair(capsys):
    assert cli.main(["similar", taught.NAME]) == 0
    page = Path("grading", "reports", f"{taught.NAME}-similar.html").read_text()
    pairs = re.findall(r"<summary>([\w-]+): (.+) and (.+), \d+%</summary>", page)
    assert {frozenset(pair) for _, *pair in pairs} == taught.copies()
    assert {question for question, *_ in pairs} == {"00-relu"}
    assert f"Pairs of similar answers: {len(taught.copies())}." in capsys.readouterr().out
