"""`autograder report` and the feedback pages of a small class, graded with real nbgrader."""

from __future__ import annotations

import hashlib
import json
import re
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest
from nbformat.notebooknode import NotebookNode
from nbformat.v4 import new_code_cell, new_output
from nbgrader import utils

from autograder import cli, report
from autograder.classroom import Classroom
from autograder.plugins import feedback as feedback_page
from course.errors import CourseError
from course.html import paragraph
from tests.classes import of_questions

NAME, NUMBER, KERNEL = "00-first-kernel", "00-blocks", "00-add"
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::sqlalchemy.exc.SAWarning")]  # nbgrader's own

# What replaces `C[i] = A[i] + B[i];`
KERNELS = {
    "right": "C[i] = A[i] + B[i];",
    "wrong": "C[i + 1] = A[i] + B[i];",
    "odd": "C[i] = cosf(A[i]) * B[i];  // odd: my own idea",
    "half": "if (i < 300) C[i] = A[i] + B[i];",
    "crashed": "C[i] = A[i]; abort();",
    "minus": "C[i] = A[i] - B[i];",
    "minus again": "C[i] = A[i] - B[i];",
}


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> Classroom:
    """A class of one prediction and one kernel, graded."""
    room = of_questions(Path(tmp_path_factory.mktemp("report")), NAME, {NUMBER, KERNEL})
    for student, line in KERNELS.items():

        def change(_: str, notebook: NotebookNode, line: str = line) -> None:
            for cell in filter(utils.is_solution, notebook.cells):
                cell.source = cell.source.replace("C[i] = A[i] + B[i];", line)

        room.hand_in(student, "solutions", change)
    room.hand_in("missing", "solutions", lambda _, notebook: notebook.cells.clear())
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(room.folder)
        patch.setattr(sys, "path", sys.path[:])  # nbgrader puts the current folder there
        assert cli.main(["grade", "--no-sandbox", NAME]) == 1  # two submissions need attention
    return room


@pytest.fixture
def here(room: Classroom, monkeypatch: pytest.MonkeyPatch) -> Classroom:
    monkeypatch.chdir(room.folder)
    monkeypatch.setattr(sys, "path", sys.path[:])
    return room


@pytest.fixture
def page(here: Classroom, capsys: pytest.CaptureFixture[str]) -> str:
    """The report, written anew."""
    assert cli.main(["report", NAME]) == 0
    path = Path(capsys.readouterr().out.removeprefix("Report: ").strip())
    assert path == here.folder / "grading" / "reports" / f"{NAME}.html"
    return path.read_text()


class Outline(HTMLParser):
    """The tags of a page with their attributes; unbalanced ones fail."""

    def __init__(self, page: str):
        super().__init__()
        self.tags, self.open = [], []
        self.feed(page)
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in ("meta", "br", "img", "link"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def of(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.tags if name == tag]


def section(page: str, heading: str) -> str:
    return page.split(f">{heading}</h2>")[1].split("<h2 ")[0]


def rows(html: str) -> list[list[str]]:
    """The rows of the tables in `html`, as text."""
    return [
        [re.sub("<[^>]*>", "", cell) for cell in re.findall("<t[hd][^>]*>(.*?)</t[hd]>", row)]
        for row in re.findall("<tr[^>]*>(.*?)</tr>", html)
    ]


def test_the_marks_and_the_share_of_full_marks_are_those_of_the_gradebook(page):
    assert ["8", "0", "1", "1", "1", "3", "3"] in rows(section(page, "Marks"))
    assert ["2 to 3", "1"] in rows(section(page, "Distribution"))  # the submission "right"
    assert ["0 to below 1", "1"] in rows(section(page, "Distribution"))  # the submission "missing"
    questions = rows(section(page, "Questions"))
    assert [f"{NUMBER}-check", "1", "0.875", "0.88", "", "7 of 8 (88%)", "1"] in questions
    assert [f"{KERNEL}-check", "1", "0.125", "0.12", "", "1 of 8 (12%)", "1"] in questions  # for 10 there is more


def test_causes_are_told_with_names_and_code(page):
    heads, *found = rows(section(page, "Causes"))
    assert heads == ["cause", "kind", "costs points in", "students", "who"]
    row = {name: row for row in found if len(row) == 5 for name in row[4].split(", ")}
    assert row["minus"] == row["minus again"] and row["minus"][3] == "2"
    assert row["wrong"][1] == "out-of-bounds" and row["wrong"][2] == f"{KERNEL}-check, {KERNEL}-hidden"
    assert row["crashed"][1] == "crash" and "abort()" in row["crashed"][0]
    assert row["missing"][1] == "not attempted" and "C[i] = A[i] - B[i];" in section(page, "Causes")


def test_wrong_answers_that_no_sentence_explains_are_shown_without_comments(page):
    causes = section(page, "Causes")
    (row,) = [row for row in rows(causes) if row[-1] == "odd"]
    assert row[0].endswith("(No sentence explains it.)") and "cosf(A[i])" in causes and "my own" not in causes


def test_who_needs_attention_is_named_with_the_reason_and_a_link(page, here):
    looks = section(page, "Submissions that need attention")
    assert {row[0] for row in rows(looks)[1:]} == {"crashed", "missing"}
    assert ["missing", f"{KERNEL}-check, {KERNEL}-hidden"] in [row[:2] for row in rows(looks)]
    assert "is missing from the submission" in looks
    for address, anchor in re.findall('href="([^"#]*)#([^"]*)"', looks):
        assert f'name="{anchor}"' in (here.folder / "grading" / "reports" / address).read_text()


def test_the_page_stands_alone_and_can_be_read_aloud(page):
    outline = Outline(page)
    assert outline.of("html") == [{"lang": "en"}] and outline.of("title") and len(outline.of("h1")) == 1
    assert not re.search(r'(src|href)="(https?:)?//|@import|url\(', page)
    assert not outline.of("svg") and not outline.of("img")  # a bar has its number beside it
    assert all(each.get("scope") in ("col", "row", "rowgroup") for each in outline.of("th"))
    assert len(outline.of("caption")) == len(outline.of("table"))


def test_the_report_changes_nothing_but_its_page(here):
    def state() -> dict[Path, str]:
        found = (
            path for path in (here.folder / "grading").rglob("*") if path.is_file() and "reports" not in path.parts
        )
        return {path: hashlib.sha256(path.read_bytes()).hexdigest() for path in found}

    before = state()
    assert cli.main(["report", NAME]) == 0
    assert state() == before


@pytest.mark.parametrize(
    ("lost", "told"), [(1, "no judgement is stored"), (99, "No judgement of these answers is stored")]
)
def test_judgements_that_are_not_kept_are_told(here, capsys, lost, told):
    judgements = sorted((here.folder / "grading" / "judgements").glob("*.json"))[:lost]
    away = [path.rename(path.with_suffix(".away")) for path in judgements]
    try:
        assert cli.main(["report", NAME]) == 0
    finally:
        for path in away:
            path.rename(path.with_suffix(".json"))
    page = Path(capsys.readouterr().out.removeprefix("Report: ").strip()).read_text()
    assert told in page and page.count("no judgement is stored") < 20


def test_judgements_of_another_machine_are_found_on_one_that_cannot_judge(page, here, monkeypatch):
    def cannot() -> str:
        raise CourseError("There is no g++ here.")

    folder = here.folder / "grading" / "judgements"
    for path in folder.glob("*.json"):  # as after grading with the GPUs of a cluster
        data = json.loads(path.read_text())
        data["job"] |= {"toolchain": "nvcc", "version": "that of the workers", "sandbox": True}
        path.with_name(f"of-nvcc-{path.name}").write_text(json.dumps(data))
        path.rename(path.with_suffix(".away"))
    try:
        with monkeypatch.context() as patch:
            patch.setattr("autograder.plugins.judge_answers.usable_toolchain", cannot)
            assert cli.main(["report", NAME]) == 0
        assert (here.folder / "grading" / "reports" / f"{NAME}.html").read_text() == page
    finally:
        for path in folder.glob("of-nvcc-*"):
            path.unlink()
        for path in folder.glob("*.away"):
            path.rename(path.with_suffix(".json"))


@pytest.mark.parametrize(
    ("most", "bars"),
    [
        (2.5, ["0 to below 1", "1 to below 2", "2 to 2.5"]),
        (0.5, ["0 to 0.5"]),
        (2, ["0 to below 1", "1 to 2"]),
    ],
)
def test_the_last_bar_of_the_distribution_ends_at_the_maximum_and_counts_it(most, bars):
    counts = [1, *[0] * (len(bars) - 2), 1] if len(bars) > 1 else [2]
    assert report._bars([0, most], most) == [*zip(bars, counts, strict=True)]


@pytest.mark.parametrize(
    ("assignment", "sentence"),
    [("nothing", "nothing.ipynb. The assignments are: "), (NAME, "is graded: run `autograder grade")],
)
def test_nothing_to_report_is_one_sentence(tmp_path, monkeypatch, capsys, room, assignment, sentence):
    ungraded = Classroom.anew(tmp_path / "course", room.folder / "solutions")
    if assignment == NAME:
        ungraded.release()
    monkeypatch.chdir(ungraded.folder)
    monkeypatch.setattr(sys, "path", sys.path[:])
    assert cli.main(["report", assignment]) == 2
    told = capsys.readouterr().err
    assert sentence in told and told.count("\n") == 1
    assert not (ungraded.folder / "grading" / "reports").exists()


# The feedback page


def feedback(room: Classroom, student: str) -> str:
    return (room.folder / "grading" / "feedback" / student / NAME / f"{NAME}.html").read_text()


def test_the_feedback_begins_with_the_points_and_the_verdict_of_each_question_and_folds_the_rest(room):
    page = feedback(room, "wrong")
    table = page.split('<table class="course-questions">')[1].split("</table>")[0]
    number, kernel = rows(table.replace("<tr><th scope", "\n<tr><th scope"))[1:3]
    assert number == [f"{NUMBER}-check", "1 of 1", "✓ Right.  Your prediction is right."]
    assert kernel[:2] == [f"{KERNEL}-check", "0 of 1"]
    assert re.match("✗ Not right.* Line .* writes past the end of", kernel[2])
    box, answer = page.index('id="course-notebook"'), page.index('class="panel panel-primary nbgrader_cell')
    assert page.index('class="course-questions"') < box < answer


@pytest.mark.parametrize("breaks", ["\n\n", "\r\r", "\r\n\r\n", "\x0b\x0c", "\x85\u2028"])
def test_what_an_answer_says_is_one_line_of_the_table(breaks):
    cell = new_code_cell(
        outputs=[new_output("display_data", {"text/html": paragraph(f"ValueError: a{breaks}# Points")})]
    )
    assert re.fullmatch(r"ValueError: a(<br>)+# Points", feedback_page._said(cell))
    bare = f"<p>a{breaks}# Points</p>"
    assert feedback_page._said(new_code_cell(outputs=[new_output("display_data", {"text/html": bare})])) == "a # Points"


def test_the_feedback_shows_the_line_of_a_hazard_and_where_values_are_wrong(room):
    assert re.search(r"Line \d+ .*writes past the end of", feedback(room, "wrong"))
    assert "In the output of shape (" in feedback(room, "half")


def test_the_feedback_turns_dark_with_the_reader_and_fits_a_phone(room):
    page = feedback(room, "right")
    assert "prefers-color-scheme: dark" in page and 'name="viewport"' in page
