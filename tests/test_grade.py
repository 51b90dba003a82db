"""`autograder grade` with real nbgrader: stopped and continued, repeated, and fed with what cannot be read."""

from __future__ import annotations

import json
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import nbformat
import pytest
from nbformat.notebooknode import NotebookNode
from nbgrader import utils
from nbgrader.api import Gradebook

from autograder import cli, jobs
from autograder.classroom import Classroom
from autograder.jobs import Job, Judgement
from course.toolchains.base import CourseError

NAME = "00-first-kernel"
BLOCKS, BYTES = "00-blocks", "00-bytes"  # two predictions, a point each
COMMAND = ("grade", "--no-sandbox", NAME)
pytestmark = pytest.mark.filterwarnings("ignore::sqlalchemy.exc.SAWarning")  # nbgrader's own


@pytest.fixture(scope="module")
def released(tmp_path_factory: pytest.TempPathFactory) -> Classroom:
    """Notebook 00 with its two predictions, released."""
    return Classroom.of_questions(Path(tmp_path_factory.mktemp("predictions")), NAME, {BLOCKS, BYTES})


@pytest.fixture
def room(released: Classroom, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Classroom:
    """A copy of that class of one's own, which is the current folder."""
    room = Classroom(shutil.copytree(released.folder, tmp_path / "course"))
    monkeypatch.chdir(room.folder)
    monkeypatch.setattr(sys, "path", sys.path[:])  # nbgrader puts the current folder there
    return room


@pytest.fixture
def judged(monkeypatch: pytest.MonkeyPatch) -> list[Job]:
    """The jobs that were judged."""
    done, judge_job = [], jobs.judge_job

    def remember(job: Job) -> dict[str, Judgement]:
        done.append(job)
        return judge_job(job)

    monkeypatch.setattr(jobs, "judge_job", remember)
    return done


def hand_in(room: Classroom, student: str, **answers: str) -> Path:
    """Hand in the solutions with other texts for some answers: `blocks="blocks = 3"`."""

    def change(_: str, notebook: NotebookNode) -> None:
        for cell in filter(utils.is_solution, notebook.cells):
            name = cell.metadata.nbgrader.grade_id.removeprefix("00-")
            cell.source = answers.get(name, cell.source)

    room.hand_in(student, "solutions", change)
    return room.folder / "grading" / "submitted" / student / NAME / f"{NAME}.ipynb"


def grade(*options: str) -> int:
    return cli.main([*COMMAND, *options])


def scores(room: Classroom) -> dict[str, float]:
    """What the gradebook has for each student."""
    with Gradebook(f"sqlite:///{room.folder}/grading/gradebook.db", "cuda-kernels") as gradebook:
        return {each.student.id: each.score for each in gradebook.assignment_submissions(NAME)}


def page(room: Classroom, student: str) -> Path:
    return room.folder / "grading" / "feedback" / student / NAME / f"{NAME}.html"


def files(room: Classroom, pattern: str) -> dict[Path, tuple[int, int]]:
    """The files there; one that was written anew has another entry."""
    found = {path: path.stat() for path in (room.folder / "grading").glob(pattern)}
    return {path: (stat.st_ino, stat.st_mtime_ns) for path, stat in found.items() if path.is_file()}


def test_each_distinct_answer_is_judged_once_and_each_submission_marked_once(room, judged, capsys):
    for student in ("one", "two", "three"):
        hand_in(room, student)
    hand_in(room, "wrong", blocks="blocks = 3")
    assert grade() == 0
    assert len(judged) == len(set(judged)) == 3
    assert scores(room) == {"one": 2, "two": 2, "three": 2, "wrong": 1}
    assert "3 distinct answers in 4 submissions, 3 of them to judge" in capsys.readouterr().out

    before = files(room, "[ajf]*/**/*")
    assert grade() == 0
    assert len(judged) == 3 and files(room, "[ajf]*/**/*") == before

    hand_in(room, "two", bytes="two_kernel_bytes = 1")
    assert grade() == 0
    assert len(judged) == 4 and scores(room) == {"one": 2, "two": 1, "three": 2, "wrong": 1}
    changed = {path for path, stamp in files(room, "[af]*/**/*").items() if before[path] != stamp}
    assert {path.parts[-3] for path in changed} == {"two"}


def test_nbgraders_own_command_gives_the_same_marks(room, judged):
    hand_in(room, "right")
    hand_in(room, "wrong", blocks="blocks = 3")
    (room.folder / "grading/submitted/right").rename(room.folder / "grading/submitted/right again")
    hand_in(room, "right")
    room.nbgrader("autograde", NAME, "--JudgeAnswers.sandbox=False")
    before = scores(room)
    assert before == {"right": 2, "right again": 2, "wrong": 1}
    assert grade() == 0
    assert scores(room) == before and not judged


def test_judging_again_is_of_one_question_of_one_student_or_of_all(room, judged):
    hand_in(room, "one")
    hand_in(room, "two", blocks="blocks = 3")
    assert grade() == 0
    first = list(judged)
    for options, expected in [
        (("--student", "two"), {(BLOCKS, "blocks = 3"), (BYTES, "")}),
        (("--question", BLOCKS), {(BLOCKS, "blocks = 3"), (BLOCKS, "")}),
        (("--question", "00-blocks-check", "--student", "two"), {(BLOCKS, "blocks = 3")}),
        ((), {(BLOCKS, "blocks = 3"), (BLOCKS, ""), (BYTES, "")}),
    ]:
        judged.clear()
        assert grade("--again", *options) == 0
        names = [job.questions[0].name.removesuffix("-check") for job in judged]
        texts = [job.answer.source if "= 3" in job.answer.source else "" for job in judged]
        assert len(judged) == len(expected) and set(zip(names, texts, strict=True)) == expected
        assert set(judged) <= set(first) and scores(room) == {"one": 2, "two": 1}


def test_another_verdict_changes_the_mark(room, monkeypatch):
    hand_in(room, "one")
    assert grade() == 0
    monkeypatch.setattr(jobs, "judge_job", lambda job: {each.name: Judgement(False, "No.") for each in job.questions})
    assert grade("--again", "--question", BLOCKS) == 0
    assert scores(room) == {"one": 1} and "No." in page(room, "one").read_text()


def test_marks_and_comments_given_by_hand_stay(room):
    hand_in(room, "one", blocks="blocks = 3")
    assert grade() == 0
    with Gradebook(f"sqlite:///{room.folder}/grading/gradebook.db", "cuda-kernels") as gradebook:
        gradebook.find_grade("00-blocks-check", NAME, NAME, "one").manual_score = 0.5
        gradebook.find_comment(BLOCKS, NAME, NAME, "one").manual_comment = "Nearly."
        gradebook.db.commit()
    hand_in(room, "one", blocks="blocks = 4")
    for options in ((), ("--again",)):
        assert grade(*options) == 0
        assert scores(room) == {"one": 1.5}
        assert "Nearly." in page(room, "one").read_text()


def test_pages_tell_the_marks_and_comments_that_were_given_by_hand_since(room):
    for student in ("one", "two", "three"):
        hand_in(room, student, blocks="blocks = 3")
    assert grade() == 0
    before = files(room, "feedback/**/*")
    with Gradebook(f"sqlite:///{room.folder}/grading/gradebook.db", "cuda-kernels") as gradebook:
        gradebook.find_grade("00-blocks-check", NAME, NAME, "one").manual_score = 0.5
        gradebook.find_comment(BLOCKS, NAME, NAME, "two").manual_comment = "Näherungsweise."
        gradebook.db.commit()
    assert grade() == 0
    assert "0.5 of 1" in page(room, "one").read_text() and "Näherungsweise." in page(room, "two").read_text()
    again = files(room, "feedback/**/*")
    assert {path.parts[-3] for path in before if before[path] != again[path]} == {"one", "two"}
    assert grade() == 0 and files(room, "feedback/**/*") == again


# Stopped


@pytest.mark.parametrize(
    ("stop", "begun"),
    [
        (signal.SIGKILL, "judgements/*.json"),
        (signal.SIGKILL, "autograded/*/*/*.ipynb"),
        (signal.SIGKILL, "feedback/*/*/*.html"),
        (signal.SIGINT, "judgements/*.json"),
    ],
    ids=["killed judging", "killed marking", "killed writing feedback", "interrupted"],
)
def test_what_was_stopped_goes_on_where_it_was(room, judged, stop, begun):
    students = [f"student {number}" for number in range(5)]
    for number, student in enumerate(students):
        hand_in(
            room, student, blocks=f"blocks = {number}", bytes=f"two_kernel_bytes = 5 * 4 * 67_108_864 + {number // 2}"
        )
    process = subprocess.Popen([sys.executable, "-m", "autograder.cli", *COMMAND, "--jobs=1"], stdout=subprocess.PIPE)
    while len(files(room, begun)) < 2:
        assert process.poll() is None, "it was done before it was stopped"
        time.sleep(0.005)
    process.send_signal(stop)
    told, _ = process.communicate()
    assert process.returncode == (-signal.SIGKILL if stop == signal.SIGKILL else 130)
    assert (b"goes on from here" in told) == (stop == signal.SIGINT)
    kept = files(room, "judgements/*.json")
    assert grade() == 0
    assert len(judged) == 8 - len(kept) and kept.items() <= files(room, "judgements/*.json").items()
    assert scores(room) == {student: float(number < 2) for number, student in enumerate(students)}
    assert all(page(room, student).read_text().rstrip().endswith("</html>") for student in students)
    before = files(room, "[ajf]*/**/*")
    assert grade() == 0 and files(room, "[ajf]*/**/*") == before


# nbgrader has each mark in the gradebook before it writes the notebook.
KILLED_IN_BETWEEN = """
import os
from nbgrader.preprocessors import SaveAutoGrades
save = SaveAutoGrades.preprocess
def save_and_end(*arguments):
    save(*arguments)
    os._exit(9)
SaveAutoGrades.preprocess = save_and_end
from autograder import cli
cli.main({command})
"""


def test_a_grader_killed_between_the_gradebook_and_the_notebook_goes_on(room, judged):
    hand_in(room, "one")
    hand_in(room, "two", blocks="blocks = 3")
    assert subprocess.run([sys.executable, "-c", KILLED_IN_BETWEEN.format(command=[*COMMAND])]).returncode == 9
    assert scores(room) == {"one": 2}
    assert grade() == 0
    assert scores(room) == {"one": 2, "two": 1} and not judged
    assert all("1 of 1 points" in page(room, student).read_text() for student in ("one", "two"))


def test_marks_that_the_gradebook_has_lost_come_back_and_nothing_is_judged_for_them(room, judged):
    hand_in(room, "one")
    hand_in(room, "two", blocks="blocks = 3")
    gradebook = room.folder / "grading" / "gradebook.db"
    before = gradebook.read_bytes()
    assert grade() == 0
    judged.clear()
    gradebook.write_bytes(before)  # an older copy
    assert not scores(room)
    assert grade() == 0 and scores(room) == {"one": 2, "two": 1}
    with Gradebook(f"sqlite:///{gradebook}", "cuda-kernels") as there:
        there.find_grade("00-blocks-check", NAME, NAME, "two").auto_score = 1
        there.db.commit()
    notebooks = files(room, "autograded/**/*")
    assert grade() == 0 and scores(room) == {"one": 2, "two": 1}
    (changed,) = [path for path, stamp in files(room, "autograded/**/*").items() if notebooks[path] != stamp]
    assert "two" in changed.parts
    changed.unlink()
    assert grade() == 0 and scores(room) == {"one": 2, "two": 1} and changed.exists()
    assert not judged


def test_the_gradebook_has_one_writer(room, capsys, monkeypatch):
    judge_job, second = jobs.judge_job, []

    def in_the_middle(job: Job) -> dict[str, Judgement]:
        second.append(grade())
        return judge_job(job)

    hand_in(room, "one")
    monkeypatch.setattr(jobs, "judge_job", in_the_middle)
    assert grade("--jobs=1") == 0
    assert second == [2, 2] and scores(room) == {"one": 2}
    assert "Another `autograder grade` is at work" in capsys.readouterr().err


# What cannot be read


def no_json(path: Path) -> None:
    path.write_text("{")


def empty(path: Path) -> None:
    path.write_text("")


def not_utf_8(path: Path) -> None:
    path.write_bytes(path.read_bytes().replace(b"blocks", "blöcks".encode("latin-1")))


def no_cells(path: Path) -> None:
    path.write_text('{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": {"a": 1}}')


def nested(path: Path) -> None:
    path.write_text("[" * 100_000)


def renamed(path: Path) -> None:
    path.rename(path.with_name("mine.ipynb"))


def linked(path: Path) -> None:
    path.unlink()
    path.symlink_to(path.parents[4] / "solutions" / NAME / f"{NAME}.ipynb")


def too_large(path: Path) -> None:
    with path.open("ab") as file:
        file.truncate(65 << 20)


def strange_cells(path: Path) -> None:
    """Right answers, among cells and metadata that nbformat cannot read."""
    notebook = nbformat.read(path, as_version=4)
    notebook.cells += [1, None, {"metadata": []}, {"metadata": {"nbgrader": {"grade_id": [1]}}}]
    notebook.metadata = 0
    path.write_text(json.dumps(notebook))


def answering(text: str) -> Callable[[Path], None]:
    """The first answer is `text`."""

    def change(path: Path) -> None:
        notebook = nbformat.read(path, as_version=4)
        next(cell for cell in notebook.cells if cell.metadata.nbgrader.grade_id == BLOCKS).source = text
        path.write_text(json.dumps(notebook))

    return change


UNREADABLE = {
    "no json": (no_json, 0, "is no notebook"),
    "empty": (empty, 0, "is no notebook"),
    "latin": (not_utf_8, 0, "is not UTF-8 text"),
    "no cells": (no_cells, 0, "is no notebook"),
    "nested": (nested, 0, "is no notebook"),
    "renamed": (renamed, 0, "is mine.ipynb: give it that name"),
    "linked": (linked, 0, "is no notebook"),
    "too large": (too_large, 0, "is larger than 64 MiB"),
    "strange": (strange_cells, 2, "1 of 1 points"),
    "long": (answering("#" * (10 << 20)), 1, "holds 10,485,760 characters"),
    "nul": (answering("blocks = '\0'"), 1, "characters that are no text"),
    "surrogate": (answering("blocks = '\ud800'"), 1, "characters that are no text"),
    "number": (answering(5), 1, "is missing from what was handed in"),
}


@pytest.fixture(scope="module")
def unreadable(released: Classroom, tmp_path_factory: pytest.TempPathFactory) -> tuple[Classroom, dict[Path, bytes]]:
    """The class of those, graded, and what they had handed in."""
    room = Classroom(shutil.copytree(released.folder, Path(tmp_path_factory.mktemp("unreadable"), "course")))
    for student, (change, *_) in UNREADABLE.items():
        change(hand_in(room, student))
    hand_in(room, "right")
    (room.folder / "grading/submitted/nothing" / NAME).mkdir(parents=True)
    before = {path: path.read_bytes() for path in room.folder.glob("grading/submitted/**/*.ipynb")}
    room.grade("--no-sandbox")
    return room, before


@pytest.mark.parametrize("student", UNREADABLE)
def test_what_cannot_be_read_gets_nothing_and_says_why(unreadable, student):
    room, _ = unreadable
    _, points, sentence = UNREADABLE[student]
    assert scores(room)[student] == points
    assert sentence in page(room, student).read_text()


def test_what_cannot_be_read_stops_no_other_and_stays_as_it_was(unreadable):
    room, before = unreadable
    assert scores(room)["right"] == 2 and "nothing" not in scores(room)
    assert {path: path.read_bytes() for path in before} == before


# What stops the grading


def no_settings(room: Classroom) -> None:
    (room.folder / "nbgrader_config.py").unlink()


def broken_settings(room: Classroom) -> None:
    (room.folder / "nbgrader_config.py").write_text("c = ")


def no_gradebook(room: Classroom) -> None:
    (room.folder / "grading" / "gradebook.db").unlink()


def broken_gradebook(room: Classroom) -> None:
    (room.folder / "grading" / "gradebook.db").write_text("nothing that SQLite knows" * 100)


def never_released(room: Classroom) -> None:
    shutil.copytree(room.folder / "solutions" / NAME, room.folder / "solutions" / "new")
    (room.folder / "solutions" / "new" / f"{NAME}.ipynb").rename(room.folder / "solutions" / "new" / "new.ipynb")


def no_solution(room: Classroom) -> None:
    (room.folder / "solutions" / NAME / f"{NAME}.ipynb").unlink()


def broken_solution(room: Classroom) -> None:
    (room.folder / "solutions" / NAME / f"{NAME}.ipynb").write_text("{")


def nothing_handed_in(room: Classroom) -> None:
    shutil.rmtree(room.folder / "grading" / "submitted")


def as_it_is(room: Classroom) -> None:
    pass


@pytest.mark.parametrize(
    ("change", "arguments", "sentence"),
    [
        (as_it_is, ("01-unknown",), f"no notebook in .*01-unknown; the assignments are {NAME}"),
        (as_it_is, (NAME, "01-unknown"), f"no notebook in .*01-unknown; the assignments are {NAME}"),
        (no_settings, (NAME,), "no nbgrader_config.py in"),
        (broken_settings, (NAME,), "nbgrader_config.py cannot be read: SyntaxError"),
        (no_gradebook, (NAME,), "There is no gradebook"),
        (broken_gradebook, (NAME,), r"gradebook .* cannot be used \(file is not a database\)"),
        (never_released, ("new",), "gradebook does not know new"),
        (no_solution, (NAME,), "There is no notebook in .*; the assignments are none"),
        (broken_solution, (NAME,), "The solutions .* cannot be read"),
        (nothing_handed_in, (NAME,), "Nothing was handed in"),
        (as_it_is, (NAME, "--student=nobody"), "Nothing was handed in: there is no .*nobody"),
        (as_it_is, (NAME, "--again", "--question=none"), f"question 'none': there are {BLOCKS}, {BYTES}"),
        (as_it_is, (NAME, "--question=00-blocks"), "write --again"),
        (as_it_is, (NAME, "--jobs=-1"), "1 or more"),
    ],
)
def test_what_stops_the_grading_is_one_sentence_and_changes_nothing(room, capsys, change, arguments, sentence):
    hand_in(room, "one")
    change(room)
    before = {path: path.read_bytes() for path in room.folder.glob("grading/**/*") if path.is_file()}
    assert cli.main(["grade", *arguments]) == 2
    told = capsys.readouterr()
    assert not told.out and told.err.count("\n") == 1
    assert re.search(sentence, told.err), told.err
    assert {path: path.read_bytes() for path in room.folder.glob("grading/**/*") if path.is_file()} == before


@pytest.mark.parametrize("command", ["grade", "report"])
def test_without_nbgrader_the_command_says_what_to_install(capsys, monkeypatch, command):
    monkeypatch.setitem(sys.modules, "nbgrader", None)
    assert cli.main([command, NAME]) == 2
    assert re.search(r"needs nbgrader: .* pip install -e '\.\[class\]'", capsys.readouterr().err)


def test_a_machine_that_cannot_judge_stops_the_grading_and_marks_nobody(room, capsys, monkeypatch):
    def judge_job(job: Job) -> dict[str, Judgement]:
        raise CourseError("There is no g++ here.")

    hand_in(room, "one")
    with monkeypatch.context() as patch:
        patch.setattr(jobs, "judge_job", judge_job)
        assert grade() == 2
    assert "There is no g++ here." in capsys.readouterr().err
    assert not scores(room) and not files(room, "autograded/**/*")
    assert grade() == 0 and scores(room) == {"one": 2}


def test_what_the_judge_fails_on_costs_that_answer_and_is_judged_again_the_next_time(room, capsys, monkeypatch):
    judge = jobs.judge

    def fails_on_three(answer, *arguments, **options):
        if "= 3" in answer.source:
            raise ZeroDivisionError("of the judge")
        return judge(answer, *arguments, **options)

    hand_in(room, "one")
    hand_in(room, "two", blocks="blocks = 3\nblocks = (1_000_003 + 255) // 256")
    with monkeypatch.context() as patch:
        patch.setattr(jobs, "judge", fails_on_three)
        assert grade() == 1
    told = capsys.readouterr()
    assert "two needs a look: the judge failed on 00-blocks" in told.out and "ZeroDivisionError" not in told.err
    assert scores(room) == {"one": 2, "two": 1} and "tell your instructor" in page(room, "two").read_text()
    assert "ZeroDivisionError: of the judge" in (room.folder / "grading" / "autograder.log").read_text()
    assert grade() == 0 and scores(room) == {"one": 2, "two": 2}
