"""`autograder grade` with real nbgrader: stopped and continued, repeated, and given submissions that cannot be read."""

from __future__ import annotations

import contextlib
import copy
import csv
import os
import re
import resource
import shutil
import signal
import socket
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
from nbgrader.apps.api import NbGraderAPI
from nbgrader.exchange.default import ExchangeFetchFeedback, ExchangeReleaseFeedback
from traitlets.config import Config

from autograder import cli
from autograder.classroom import ROOT, Classroom
from autograder.gradebook import Course
from autograder.judging import jobs
from autograder.judging.jobs import Job, Judgement
from course.errors import CourseError
from tests.classes import of_questions

pytestmark = pytest.mark.slow
NAME = "00-first-kernel"
BLOCKS, CLINIC = "00-blocks", "00-clinic"  # two predictions, one point each
DIAGNOSIS = {"patient 1": "grid", "patient 2": "guard", "patient 3": "index", "patient 4": "healthy"}
COMMAND = ("grade", "--no-sandbox", NAME)
NO_SANDBOX = ("--force", "--JudgeAnswers.sandbox=False")


@pytest.fixture(scope="module")
def released(tmp_path_factory: pytest.TempPathFactory) -> Classroom:
    """Notebook 00 with its two predictions, released."""
    return of_questions(Path(tmp_path_factory.mktemp("predictions")), NAME, {BLOCKS, CLINIC})


@pytest.fixture
def room(released: Classroom, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Classroom:
    """A copy of that class for one test, with its folder as the current folder."""
    room = Classroom(shutil.copytree(released.folder, tmp_path / "course"))
    monkeypatch.chdir(room.folder)
    monkeypatch.setattr(sys, "path", sys.path[:])  # nbgrader puts the current folder there
    return room


@pytest.fixture
def judged(monkeypatch: pytest.MonkeyPatch) -> list[Job]:
    """The jobs that were judged."""
    done, judge_job = [], jobs.judge_job

    def remember(job: Job) -> Judgement:
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
    """The files in `grading` that match. If a file is written again, its entry changes."""
    found = {path: path.stat() for path in (room.folder / "grading").glob(pattern)}
    return {path: (stat.st_ino, stat.st_mtime_ns) for path, stat in found.items() if path.is_file()}


def test_each_distinct_answer_is_judged_once_and_each_submission_marked_once(room, judged, capsys):
    for student in ("one", "two", "three"):
        hand_in(room, student)
    hand_in(room, "wrong", blocks="blocks = 3")
    assert grade() == 0
    assert len(judged) == len(set(judged)) == 3
    assert scores(room) == {"one": 2, "two": 2, "three": 2, "wrong": 1}
    assert "3 distinct answers in 4 submissions. Answers to judge: 3" in capsys.readouterr().out

    before = files(room, "[ajf]*/**/*")
    assert grade() == 0
    assert len(judged) == 3 and files(room, "[ajf]*/**/*") == before

    hand_in(room, "two", clinic="diagnosis = 1")
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
        (("--student", "two"), {(BLOCKS, "blocks = 3"), (CLINIC, "")}),
        (("--question", BLOCKS), {(BLOCKS, "blocks = 3"), (BLOCKS, "")}),
        (("--question", "00-blocks-check", "--student", "two"), {(BLOCKS, "blocks = 3")}),
        ((), {(BLOCKS, "blocks = 3"), (BLOCKS, ""), (CLINIC, "")}),
    ]:
        judged.clear()
        assert grade("--again", *options) == 0
        names = [job.question.name.removesuffix("-check") for job in judged]
        texts = [job.answer.source if "= 3" in job.answer.source else "" for job in judged]
        assert len(judged) == len(expected) and set(zip(names, texts, strict=True)) == expected
        assert set(judged) <= set(first) and scores(room) == {"one": 2, "two": 1}


def test_another_verdict_changes_the_mark(room, monkeypatch):
    hand_in(room, "one")
    assert grade() == 0
    monkeypatch.setattr(jobs, "judge_job", lambda job: Judgement(False, "No."))
    assert grade("--again", "--question", BLOCKS) == 0
    assert scores(room) == {"one": 1} and "No." in page(room, "one").read_text()


def test_points_may_change_after_grading_and_a_question_of_no_points_no_longer_counts(room, judged):
    hand_in(room, "ada", blocks="blocks = 3")
    assert grade() == 0 and scores(room) == {"ada": 1}
    judged.clear()
    change_points(room, clinic=5)
    (room.folder / "solutions" / NAME / "table.csv").write_text("1,2\n")
    room.release()
    assert (room.folder / "notebooks" / NAME / "table.csv").read_text() == "1,2\n"  # the instructor's own file
    assert grade() == 0 and scores(room) == {"ada": 5}
    change_points(room, blocks=0)
    room.release()
    assert grade() == 0 and room.marks()["ada", NAME] == (5, 5) and not judged


LONG = """blocks = 0
for first in range(0, 1_000_003, 256):
    last = min(first + 256, 1_000_003)
    if first < last:
        blocks = blocks + 1
    elif first == last and last > 0:
        print("an empty block", first, last, blocks)
        break
"""


def test_similar_answers_of_this_year_and_an_earlier_one_are_on_a_page(room, capsys, monkeypatch):
    monkeypatch.setattr("autograder.similar.is_code", lambda _: True)  # this class has only predictions
    hand_in(room, "ada", blocks=LONG)
    hand_in(room, "bob", blocks=LONG.replace("first", "begin").replace("last", "end"))
    hand_in(room, "eve")
    shutil.copytree(room.folder / "grading" / "submitted", room.folder / "2025", ignore=lambda *_: ["bob", "eve"])
    assert cli.main(["similar", NAME, "--earlier", "2025"]) == 0
    told = capsys.readouterr().out
    page = (room.folder / "grading" / "reports" / f"{NAME}-similar.html").read_text()
    assert told.startswith("Pairs of similar answers: 3.") and page.count("<details>") == 3
    assert "00-blocks: ada and bob, 100%" in page and "00-blocks: bob and 2025: ada, 100%" in page
    assert cli.main(["similar", NAME, "--earlier", "2024"]) == 2
    assert f"2024 has no submission STUDENT/{NAME}/{NAME}.ipynb" in capsys.readouterr().err


def test_marks_and_comments_given_by_hand_stay(room):
    hand_in(room, "one", blocks="blocks = 3")
    assert grade() == 0
    with Gradebook(f"sqlite:///{room.folder}/grading/gradebook.db", "cuda-kernels") as gradebook:
        gradebook.find_grade("00-blocks-check", NAME, NAME, "one").manual_score = 0.5
        gradebook.find_comment(BLOCKS, NAME, NAME, "one").manual_comment = "Nearly."
        gradebook.db.commit()
    hand_in(room, "one", blocks="blocks = 4")
    for options in ((), ("--again",)):
        assert grade(*options) == 1  # the mark by hand is for an older answer
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


def mark_by_hand(room: Classroom, student: str, score: float | None, **more: float) -> None:
    """What the formgrader saves for `00-blocks-check`."""
    with Gradebook(f"sqlite:///{room.folder}/grading/gradebook.db", "cuda-kernels") as gradebook:
        grade = gradebook.find_grade("00-blocks-check", NAME, NAME, student)
        grade.manual_score, grade.extra_credit = score, more.get("extra")
        grade.needs_manual_grade = grade.manual_score is None and grade.auto_score is None
        gradebook.db.commit()


def is_in_the_pile(room: Classroom, student: str) -> bool:
    with Gradebook(f"sqlite:///{room.folder}/grading/gradebook.db", "cuda-kernels") as gradebook:
        return gradebook.find_grade("00-blocks-check", NAME, NAME, student).needs_manual_grade


def test_a_mark_by_hand_stays_done_until_the_answer_changes(room, capsys):
    hand_in(room, "one", blocks="blocks = 3")
    assert grade() == 0 and not is_in_the_pile(room, "one")
    mark_by_hand(room, "one", 0.5)
    hand_in(room, "one", blocks="blocks = 3", clinic="diagnosis = 1")
    for command in (grade, lambda: grade("--again"), lambda: room.nbgrader("autograde", NAME, *NO_SANDBOX) or 0):
        assert command() == 0 and not is_in_the_pile(room, "one") and scores(room) == {"one": 0.5}
    hand_in(room, "one")
    capsys.readouterr()
    sentence = "new answer: the mark by hand, 0.5 of 1, is for an older answer, and the automatic mark is 1"
    for _ in range(2):
        assert grade() == 1 and is_in_the_pile(room, "one")
        assert f"one (00-blocks-check): {sentence}\n" in capsys.readouterr().out
    assert cli.main(["report", NAME]) == 0
    assert sentence in (room.folder / "grading/reports" / f"{NAME}.html").read_text()
    mark_by_hand(room, "one", 0.75)
    assert grade("--again") == 0 and not is_in_the_pile(room, "one") and scores(room) == {"one": 1.75}


def test_the_page_names_a_mark_by_hand_beside_the_automatic_mark(room):
    for student in ("one", "two", "three"):
        hand_in(room, student, blocks="blocks = 3")
    assert grade() == 0
    mark_by_hand(room, "one", 0.5)
    mark_by_hand(room, "two", None, extra=2.0)
    assert grade() == 0
    marked, extra, plain = (page(room, student).read_text() for student in ("one", "two", "three"))
    given = "Marked by hand: 0.5 of 1 point (the automatic mark was 0)."
    assert marked.count(given) == 2  # in the table, and above the verdict, whose own first words are hidden
    assert f'<div class="course-given"><strong>{given}</strong></div><div class="course-mark"><strong>' in marked
    assert ".course-given + .course-mark > strong { display: none; }" in marked
    assert "0 of 1 point. Extra credit: 2." in extra
    assert "0 of 1 point. " in plain and "hand:" not in plain


def test_the_marks_that_change_are_listed_and_a_dry_run_lists_them_first(room, capsys, monkeypatch):
    for student in ("one", "two"):
        hand_in(room, student, blocks="blocks = 3")
    assert grade() == 0
    assert "No earlier mark has changed." in capsys.readouterr().out and not files(room, "changes/*")
    hand_in(room, "one")
    hand_in(room, "three")
    before = files(room, "[afg]*/**/*"), scores(room)
    changed = "one 00-blocks-check: 0 to 1"
    assert grade("--dry-run") == 0
    told = capsys.readouterr().out
    assert f"1 mark would change (see {room.folder}/grading/changes/{NAME}-dry-run.csv):\n  {changed}\n" in told
    assert (files(room, "[afg]*/**/*"), scores(room)) == before
    assert grade() == 0
    told = capsys.readouterr().out
    assert changed in told and "Answers to judge: 0" in told and scores(room)["one"] == 2
    table = Path(re.search(r"1 mark changed \(see (.*)\):", told)[1])
    with table.open(newline="") as lines:
        (row,) = csv.DictReader(lines)
    assert row == {"student": "one", "question": "00-blocks-check", "old": "0.0", "new": "1.0"}


def test_a_run_killed_before_the_gradebook_is_written_has_listed_all_marks_and_goes_on(room, judged, capsys):
    for student in ("one", "two"):
        hand_in(room, student, blocks="blocks = 3")
    assert grade() == 0
    judged.clear()
    for student in ("one", "two", "new"):
        hand_in(room, student)
    assert subprocess.run([sys.executable, "-c", KILLED_IN_BETWEEN.format(command=[*COMMAND])]).returncode == 9
    assert scores(room) == {"one": 1, "two": 1}
    (table,) = room.folder.glob("grading/changes/*.csv")
    assert [line.partition(",")[0] for line in table.read_text().splitlines()] == ["student", "one", "two"]
    capsys.readouterr()
    assert grade() == 0 and "2 marks changed" in capsys.readouterr().out and not judged
    assert scores(room) == {"one": 2, "two": 2, "new": 2}
    assert all("1 of 1 point" in page(room, student).read_text() for student in ("one", "two", "new"))


# Stopped


@pytest.mark.parametrize(
    ("stop", "begun"),
    [
        pytest.param(signal.SIGKILL, "judgements/*.json", marks=pytest.mark.seldom),
        (signal.SIGKILL, "autograded/*/*/*.ipynb"),
        pytest.param(signal.SIGKILL, "feedback/*/*/*.html", marks=pytest.mark.seldom),
        (signal.SIGINT, "judgements/*.json"),
    ],
    ids=["killed judging", "killed marking", "killed writing feedback", "interrupted"],
)
def test_what_was_stopped_goes_on_where_it_was(room, judged, stop, begun):
    students = [f"student {number}" for number in range(5)]
    for number, student in enumerate(students):
        clinic = f"diagnosis = {DIAGNOSIS if number < 2 else number // 2}"
        hand_in(room, student, blocks=f"blocks = {number}", clinic=clinic)
    process = subprocess.Popen(
        [sys.executable, "-m", "autograder.cli", *COMMAND, "--jobs=1"],
        stdout=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # ignored in a background job, and inherited
    )
    while len(files(room, begun)) < 2:
        assert process.poll() is None, "it was done before it was stopped"
        time.sleep(0.005)
    process.send_signal(stop)
    told, _ = process.communicate()
    assert process.returncode == (-signal.SIGKILL if stop == signal.SIGKILL else 130)
    assert (b"Run the same command to continue" in told) == (stop == signal.SIGINT)
    kept = files(room, "judgements/*.json")
    assert grade() == 0
    assert len(judged) == 8 - len(kept) and kept.items() <= files(room, "judgements/*.json").items()
    assert scores(room) == {student: float(number < 2) for number, student in enumerate(students)}
    assert all(page(room, student).read_text().rstrip().endswith("</html>") for student in students)
    before = files(room, "[ajf]*/**/*")
    assert grade() == 0 and files(room, "[ajf]*/**/*") == before


# The first notebook is written before the marks of its batch are in the gradebook.
KILLED_IN_BETWEEN = """
import os
from autograder.grade import Marking
write = Marking.write_single_notebook
def write_and_end(*arguments):
    write(*arguments)
    os._exit(9)
Marking.write_single_notebook = write_and_end
from autograder import cli
cli.main({command})
"""


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


@pytest.mark.usefixtures("bubblewrap")
@pytest.mark.parametrize(
    ("step", "room_left"),
    [
        ("marked", 120),
        pytest.param("judged", 20, marks=pytest.mark.seldom),
        pytest.param("feedback written for", 400, marks=pytest.mark.seldom),
    ],
)
def test_a_full_disk_is_one_sentence_and_the_same_command_goes_on(room, step, room_left):
    """`grading/` is a small disk of its own, on which so many KiB are left."""
    students = [f"student {number}" for number in range(8)]
    for number, student in enumerate(students):
        hand_in(room, student, blocks=f"blocks = {number + 3}")
    grading = room.folder / "grading"
    size = (sum(-(-path.stat().st_size // 4096) * 4 for path in grading.rglob("*.*")) + room_left) << 10
    disk = ["bwrap", "--dev-bind", "/", "/", "--bind", grading, "/mnt", "--size", str(size), "--tmpfs", grading]
    command = f"{sys.executable} -m autograder.cli {' '.join(COMMAND)}"
    script = f"cp -a /mnt/. {grading} && {command}; status=$?; cp -a {grading}/. /mnt; exit $status"
    done = subprocess.run([*disk, "sh", "-c", script], capture_output=True, text=True, timeout=300)
    assert done.returncode == 2, done.stdout + done.stderr
    _, sentence = done.stderr.splitlines()  # the first line is about --no-sandbox
    assert "No space left on device" in sentence or "disk is full" in sentence
    assert sentence.endswith(", then run the same command to continue.")
    (count,) = re.findall(rf"{step} (\d+) of .*\n\Z", done.stdout)
    assert 0 < int(count) < 8
    assert grade() == 0 and scores(room) == dict.fromkeys(students, 1.0)
    assert all(page(room, student).exists() for student in students)


def test_the_gradebook_has_one_writer(room, capsys, monkeypatch):
    judge_job, second = jobs.judge_job, []

    def in_the_middle(job: Job) -> Judgement:
        second.append(grade())
        return judge_job(job)

    hand_in(room, "one")
    monkeypatch.setattr(jobs, "judge_job", in_the_middle)
    assert grade("--jobs=1") == 0
    assert second == [2, 2] and scores(room) == {"one": 2}
    assert "Another `autograder grade` is running" in capsys.readouterr().err


# What lies beside the notebook


def make_socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as there, contextlib.chdir(path.parent):  # a socket's name has at most 107 bytes
        there.bind(path.name)


def links_beside(folder: Path, room: Classroom) -> None:
    """Links to files that a student must not see."""
    (folder / "book.db").symlink_to(room.folder / "grading" / "gradebook.db")
    (folder / "other.ipynb").symlink_to(room.folder / "grading" / "submitted" / "right" / NAME / f"{NAME}.ipynb")
    (folder / "passwd").symlink_to("/etc/passwd")
    (folder / "solutions").symlink_to(room.folder / "solutions")


def endless_files_beside(folder: Path, room: Classroom) -> None:
    """Files whose end a reader never reaches."""
    (folder / "data.bin").symlink_to("/dev/zero")
    os.mkfifo(folder / "pipe")
    make_socket(folder / "socket")


def many_files_beside(folder: Path, room: Classroom) -> None:
    (folder / "/".join(["deep"] * 200)).mkdir(parents=True)
    for number in range(2000):
        (folder / f"{number}.txt").touch()


def endless_notebook(folder: Path, room: Classroom) -> None:
    (folder / f"{NAME}.ipynb").unlink()
    (folder / f"{NAME}.ipynb").symlink_to("/dev/zero")


def piped_notebook(folder: Path, room: Classroom) -> None:
    (folder / f"{NAME}.ipynb").unlink()
    os.mkfifo(folder / f"{NAME}.ipynb")


def linked_assignment(folder: Path, room: Classroom) -> None:
    shutil.rmtree(folder)
    folder.symlink_to(room.folder / "grading" / "submitted" / "right" / NAME)


def linked_student(folder: Path, room: Classroom) -> None:
    shutil.rmtree(folder.parent)
    folder.parent.symlink_to("right")


def pipe_for_a_folder(folder: Path, room: Classroom) -> None:
    shutil.rmtree(folder)
    os.mkfifo(folder)


def endless_time(folder: Path, room: Classroom) -> None:
    (folder / "timestamp.txt").symlink_to("/dev/zero")


def piped_time_and_secret(folder: Path, room: Classroom) -> None:
    os.mkfifo(folder / "timestamp.txt")
    os.mkfifo(folder / "submission_secret.txt")


def time_that_is(text: bytes) -> Callable[[Path, Classroom], None]:
    return lambda folder, room: (folder / "timestamp.txt").write_bytes(text) and None


# points, and one sentence: from the student's page if the notebook is refused, else from the command
STRANGE = {
    "links beside": (links_beside, 2, ""),
    "endless files beside": (endless_files_beside, 2, ""),
    "many files beside": (many_files_beside, 2, ""),
    "endless notebook": (endless_notebook, 0, f"{NAME}.ipynb is a link: hand in the file itself."),
    "piped notebook": (piped_notebook, 0, f"{NAME}.ipynb is not a regular file"),
    "linked assignment": (linked_assignment, 0, f"The folder {NAME} is a link"),
    "linked student": (linked_student, 0, "The folder linked student is a link"),
    "pipe for a folder": (pipe_for_a_folder, 0, f"{NAME}.ipynb cannot be read (Not a directory)"),
    "endless time": (endless_time, 2, "timestamp.txt is a link"),
    "piped time": (piped_time_and_secret, 2, "timestamp.txt is not a regular file"),
    "no time": (time_that_is(b"yesterday"), 2, "timestamp.txt has no date and time"),
    "half a time": (time_that_is(b"2026-11-23 09:53:00 +99999999999999999999"), 2, "has no date and time"),
    "year 1": (time_that_is(b"0001-01-01 00:00:00 +1400"), 2, "has no date and time"),
    "latin time": (time_that_is(b"Montag, fr\xfch"), 2, "timestamp.txt is not UTF-8 text"),
    "long time": (time_that_is(b"2" * 10_000), 2, "timestamp.txt is larger than 1000 bytes"),
    "empty time": (time_that_is(b""), 2, ""),
}
GRADE = [["autograder.cli", *COMMAND]]
NBGRADER = [["nbgrader", "autograde", NAME, "--JudgeAnswers.sandbox=False"], ["nbgrader", "generate_feedback", NAME]]


@pytest.fixture(
    scope="module",
    params=[
        pytest.param(GRADE, id="autograder grade"),
        pytest.param(NBGRADER, id="nbgrader", marks=pytest.mark.seldom),
    ],
)
def strange(
    request: pytest.FixtureRequest, released: Classroom, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Classroom, str]:
    """The graded class of these students, and what the commands printed."""
    room = Classroom(shutil.copytree(released.folder, Path(tmp_path_factory.mktemp("strange"), "course")))
    hand_in(room, "right")
    for student, (change, *_) in STRANGE.items():
        change(hand_in(room, student).parent, room)
    told = ""
    for command in request.param:
        done = subprocess.run(
            [sys.executable, "-m", *command],
            cwd=room.folder,
            capture_output=True,
            text=True,
            timeout=120,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (64 << 20, 64 << 20)),
        )
        told += done.stdout + done.stderr
    return room, told


@pytest.mark.parametrize("student", STRANGE)
def test_what_lies_beside_a_notebook_costs_no_points_and_what_is_refused_is_explained(strange, student):
    room, told = strange
    _, points, sentence = STRANGE[student]
    if f"No notebooks were matched by '{room.folder}/grading/submitted/{student}/" in told:
        return  # nbgrader skips what is not a folder, and says so
    assert scores(room)[student] == points
    assert sentence in (told if points else page(room, student).read_text())


def test_nothing_of_a_submission_is_copied_but_answers_time_and_secret(strange):
    room, _ = strange
    made = {NAME, "autograded", "feedback", f"{NAME}.ipynb", f"{NAME}.html", "timestamp.txt", "submission_secret.txt"}
    for step in ("autograded", "feedback"):
        copies = list((room.folder / "grading" / step).rglob("*"))
        assert {path.name for path in copies} <= {*made, *STRANGE, "right"}
        assert not any(path.is_symlink() for path in copies)
        assert max(path.stat().st_size for path in copies if path.suffix == ".txt") <= 1000
    assert scores(room)["right"] == 2


def test_the_formgrader_lists_submissions_whose_time_cannot_be_read(strange):
    room, _ = strange
    with contextlib.chdir(room.folder):
        course = Course()
        api = NbGraderAPI(coursedir=course.directory, parent=course.app)
        listed = {each["student"]: each["timestamp"] for each in api.get_submissions(NAME)}
    assert listed["right"] is None and listed["piped time"] is None and listed["no time"] is None


# Names of students

NAMES = {
    "comma, with": True,
    'a "quote"': True,
    "it's": True,
    "carriage\rreturn": True,
    "\x1b[31mred": True,
    "=1+1": True,
    "new\nline": False,
    os.fsdecode(b"latin \xfc"): False,
}


def test_each_name_is_graded_and_exported_or_refused_in_one_sentence(room, capsys):
    for name in NAMES:
        hand_in(room, name)
    assert grade() == 1
    recorded = {name for name, can_be in NAMES.items() if can_be}
    assert scores(room) == dict.fromkeys(recorded, 2.0)
    assert all(page(room, name).exists() for name in recorded)
    told = [line for line in capsys.readouterr().out.splitlines() if "rename the student's folder" in line]
    assert [line.partition(": not graded")[0] for line in told] == [r"'latin \udcfc'", r"'new\nline'"]
    for student, last_name in (("comma, with", 'O"Hara, Jr.'), ("absent", "Ünal")):
        with Gradebook(f"sqlite:///{room.folder}/grading/gradebook.db", "cuda-kernels") as gradebook:
            gradebook.update_or_create_student(student, last_name=last_name)
    room.nbgrader("export")
    with (room.folder / "grading" / "grades.csv").open(newline="", encoding="utf-8") as lines:
        rows = {row["student_id"]: row for row in csv.DictReader(lines, strict=True)}
    assert rows.keys() == {*recorded, "absent"}
    assert {(row["assignment"], row["score"], row["max_score"]) for row in rows.values()} == {
        (NAME, "2.0", "2.0"),
        (NAME, "0.0", "2.0"),
    }
    assert rows["comma, with"]["last_name"] == 'O"Hara, Jr.' and rows["absent"]["last_name"] == "Ünal"
    assert rows["absent"]["score"] == "0.0" and rows["absent"]["timestamp"] == ""


@pytest.mark.seldom
def test_the_export_can_be_of_some_students_and_assignments(room):
    for name in ("one", "two"):
        hand_in(room, name)
    assert grade() == 0
    table = room.folder / "some.csv"
    room.nbgrader("export", f"--to={table}", "--student=['two']", f"--assignment=['{NAME}']")
    first, *rows = table.read_text().splitlines()
    assert first.startswith("assignment,duedate,timestamp,student_id,") and [row.split(",")[3] for row in rows] == [
        "two"
    ]


# Times and penalties

FIRST, SECOND, DUE = (f"2026-11-23 {time} UTC" for time in ("09:53:13.416874", "09:54:59.460931", "09:53:00"))


def collect(room: Classroom, student: str, time: str, **answers: str) -> None:
    """Hand in as nbgrader's `submit` and `collect` do, with a new secret each time."""
    folder = hand_in(room, student, **answers).parent
    kept = room.folder / "cache" / "cuda-kernels" / f"{student}+{NAME}+{time}"
    (folder / "timestamp.txt").write_text(time)
    (folder / "submission_secret.txt").write_text(f"{student}'s secret of {time}")
    shutil.copytree(folder, kept)


def fetch_feedback(room: Classroom, student: str) -> dict[str, str]:
    """The pages that the student finds after `release_feedback`, by the times of the submissions."""
    exchange = room.folder / "exchange"
    (exchange / "cuda-kernels" / "feedback").mkdir(parents=True, exist_ok=True)
    course = Course()
    settings = {"root": str(exchange), "cache": str(room.folder / "cache"), "assignment_dir": str(room.folder / "home")}
    course.app.update_config(Config({"Exchange": settings}))
    course.directory.assignment_id = NAME
    ExchangeReleaseFeedback(coursedir=course.directory, parent=course.app).start()
    course.directory.student_id = student
    ExchangeFetchFeedback(coursedir=course.directory, parent=course.app).start()
    return {path.parent.name: path.read_text() for path in room.folder.glob(f"home/{NAME}/feedback/*/{NAME}.html")}


def receipts(room: Classroom, student: str) -> set[tuple[str, str]]:
    """The times and secrets in all of nbgrader's steps; only one pair if all steps agree."""
    folders = [room.folder / "grading" / step / student / NAME for step in ("submitted", "autograded", "feedback")]
    return {((each / "timestamp.txt").read_text(), (each / "submission_secret.txt").read_text()) for each in folders}


def recorded(room: Classroom, student: str) -> tuple[str, float]:
    """The time of a submission and the points that it lost by being late, as recorded in the gradebook."""
    with Gradebook(f"sqlite:///{room.folder}/grading/gradebook.db", "cuda-kernels") as gradebook:
        submission = gradebook.find_submission(NAME, student)
        return f"{submission.timestamp} UTC", submission.late_submission_penalty


def test_the_same_answers_handed_in_again_keep_the_new_time_and_their_feedback_can_be_fetched(room, judged):
    collect(room, "one", FIRST)
    collect(room, "two", FIRST)
    assert grade() == 0 and fetch_feedback(room, "one").keys() == {FIRST}
    judged.clear()
    others = files(room, "[af]*/two/**/*")
    collect(room, "one", SECOND)
    assert grade() == 0 and not judged
    assert receipts(room, "one") == {(SECOND, f"one's secret of {SECOND}")} and recorded(room, "one")[0] == SECOND
    assert fetch_feedback(room, "one").keys() == {FIRST, SECOND}
    assert files(room, "[af]*/two/**/*") == others

    before = files(room, "[ajf]*/**/*")
    assert grade() == 0 and files(room, "[ajf]*/**/*") == before
    (room.folder / "grading" / "feedback" / "one" / NAME / "submission_secret.txt").unlink()
    assert grade() == 0 and len(receipts(room, "one")) == 1


def set_penalty(room: Classroom, setting: str = 'LateSubmissionPlugin.penalty_method = "zero"') -> None:
    with (room.folder / "nbgrader_config.py").open("a") as settings:
        settings.write(f"c.{setting}\n")


def test_a_due_date_a_penalty_and_an_extension_that_come_later_count_without_judging_again(room, judged, capsys):
    def penalties() -> tuple[float, float]:
        assert grade() == 0
        return recorded(room, "late")[1], recorded(room, "in time")[1]

    collect(room, "late", FIRST)
    collect(room, "in time", "2026-11-23 09:52:59 UTC")
    assert penalties() == (0, 0)
    judged.clear()
    assert cli.main(["due", NAME, DUE]) == 0
    assert penalties() == (0, 0)
    set_penalty(room)
    assert penalties() == (2, 0)
    assert "Late submission penalty" in page(room, "late").read_text()
    assert "Late submission penalty" not in page(room, "in time").read_text()
    others = files(room, "feedback/in time/**/*")
    with Gradebook(f"sqlite:///{room.folder}/grading/gradebook.db", "cuda-kernels") as gradebook:
        gradebook.find_grade("00-blocks-check", NAME, NAME, "late").manual_score = 0.5
        gradebook.db.commit()
    assert penalties() == (1.5, 0)
    assert cli.main(["extend", "late", NAME, "--days", "2"]) == 0
    assert penalties() == (0, 0)
    assert "Late submission penalty" not in page(room, "late").read_text()
    assert scores(room)["late"] == 1.5 and not judged
    assert files(room, "feedback/in time/**/*") == others
    with Gradebook(f"sqlite:///{room.folder}/grading/gradebook.db", "cuda-kernels") as gradebook:
        assert not gradebook.find_grade("00-blocks-check", NAME, NAME, "late").needs_manual_grade

    assert cli.main(["extend", "late", NAME, "--days", "0"]) == 0
    assert penalties() == (1.5, 0)
    assert cli.main(["due", NAME, "none"]) == 0
    assert penalties() == (0, 0) and not judged
    assert cli.main(["extend", "late", NAME, "--days", "2"]) == 0
    assert penalties() == (0, 0)


def test_an_extension_before_the_work_is_graded_counts_and_is_kept_by_a_release(room, judged, capsys):
    """Due date, extension and a second, later submission, with the guide's own plug-in."""
    guide = (ROOT / "autograder" / "README.md").read_text()
    (room.folder / "late_work.py").write_text(re.search("```python\n(import math.*?)```", guide, re.DOTALL)[1])
    set_penalty(room, 'AssignLatePenalties.plugin_class = "late_work.TenthOfTheScorePerDay"')
    with Gradebook(f"sqlite:///{room.folder}/grading/gradebook.db", "cuda-kernels") as gradebook:
        for student in ("ahead", "absent", "excused"):
            gradebook.add_student(student)
    assert cli.main(["due", NAME, DUE]) == 0
    collect(room, "extended", SECOND)
    collect(room, "late", SECOND)
    for student in ("extended", "ahead", "excused"):
        assert cli.main(["extend", student, NAME, "--days", "1"]) == 0
    room.release()
    collect(room, "ahead", "2026-11-25 10:00:00 UTC")
    assert grade() == 0
    assert [recorded(room, student)[1] for student in ("extended", "late", "ahead")] == pytest.approx([0, 0.2, 0.4])
    judged.clear()
    collect(room, "extended", "2026-11-24 09:53:01 UTC")
    assert grade() == 0 and not judged and recorded(room, "extended")[1] == pytest.approx(0.2)
    assert "Late submission penalty" in page(room, "extended").read_text()

    marks = {student: score for (student, _), (score, _) in room.marks().items()}
    assert marks == pytest.approx({"extended": 1.8, "late": 1.8, "ahead": 1.6, "absent": 0, "excused": 0})
    capsys.readouterr()
    assert cli.main(["report", NAME]) == 0
    report = Path(capsys.readouterr().out.removeprefix("Report: ").strip()).read_text()
    assert '<th scope="row">3</th>' in report  # as many are graded
    table = report.split(">Late and missing submissions</h2>")[1].split("</table>")[0]
    rows = [re.findall("<t[hd][^>]*>(.*?)</t[hd]>", re.sub("</?a[^>]*>", "", row)) for row in table.split("<tr>")[2:]]
    assert rows == [
        ["handed in late: 3"],
        ["ahead", "1 d 7 min", "1 d", "", "0.4"],
        ["extended", "1 s", "1 d", "", "0.2"],
        ["late", "2 min", "", "", "0.2"],
        ["nothing handed in: 2"],
        ["absent", "", "", "", ""],
        ["excused", "", "1 d", "", ""],
    ]

    assert cli.main(["extend", "excused", NAME, "--days", "0"]) == 0
    with Gradebook(f"sqlite:///{room.folder}/grading/gradebook.db", "cuda-kernels") as gradebook:
        found = {each.student.id for each in gradebook.assignment_submissions(NAME)}
        assert found == {"extended", "late", "ahead"}  # so that nbgrader still lets cells be added to a release


def test_grace_late_days_and_the_last_date_count_for_both_commands_and_on_the_page(room, judged):
    for setting in ("LatePolicy.grace_minutes = 10", "LatePolicy.late_days = 1", "LatePolicy.last_days = 3"):
        set_penalty(room, setting)
    set_penalty(room)
    assert cli.main(["due", NAME, "2026-11-20 12:00Z"]) == 0
    times = {"grace": "20 12:09:59", "late day": "21 12:09:00", "too late": "22 12:00:00", "closed": "24 12:00:00"}
    for student, when in times.items():
        collect(room, student, f"2026-11-{when} UTC")
    assert grade() == 0
    found = {student: recorded(room, student)[1] for student in times}
    assert found == {"grace": 0, "late day": 0, "too late": 2, "closed": 2}
    assert "Late submission penalty" in page(room, "closed").read_text()
    room.nbgrader("autograde", NAME, *NO_SANDBOX)
    assert {student: recorded(room, student)[1] for student in times} == found


def test_an_excused_student_has_no_mark_in_tables_and_reports(room, capsys):
    hand_in(room, "ada")
    hand_in(room, "bob", blocks="blocks = 3")
    assert grade() == 0
    assert cli.main(["excuse", "bob", NAME]) == 0
    room.nbgrader("export")
    with (room.folder / "grading" / "grades.csv").open() as file:
        rows = {row["student_id"]: row for row in csv.DictReader(file) if row["assignment"] == NAME}
    assert (rows["ada"]["score"], rows["ada"]["max_score"]) == ("2.0", "2.0")
    assert (rows["bob"]["score"], rows["bob"]["max_score"]) == ("", "")
    assert cli.main(["report", NAME]) == 0
    report = (room.folder / "grading" / "reports" / f"{NAME}.html").read_text()
    assert '<th scope="row">1</th>' in report and "excused: 1" in report
    assert cli.main(["excuse", "bob", NAME, "--undo"]) == 0 and cli.main(["report", NAME]) == 0
    report = (room.folder / "grading" / "reports" / f"{NAME}.html").read_text()
    assert '<th scope="row">2</th>' in report and "excused:" not in report
    assert "bob is no longer excused" in capsys.readouterr().out


def test_status_counts_what_waits_and_lists_the_open_notes(room, capsys):
    def status() -> tuple[list[str], list[str]]:
        capsys.readouterr()
        assert cli.main(["status"]) == 0
        head, row, count, *remaining = capsys.readouterr().out.splitlines()
        assert " ".join(head.split()) == "assignment due handed in marked to grade by hand late excused"
        assert count == f"Open notes: {len(remaining)}"
        return row.split()[1:], remaining

    assert status() == (["0", "0", "0", "0", "0", "0"], [])
    collect(room, "ada", FIRST)
    collect(room, "bob", FIRST)
    assert status()[0] == ["2", "0", "2", "0", "0", "0"]
    assert grade() == 0 and status()[0] == ["2", "2", "0", "0", "0", "0"]
    collect(room, "bob", SECOND)
    assert cli.main(["due", NAME, DUE]) == 0 and cli.main(["excuse", "ada", NAME]) == 0
    assert status()[0][-6:] == ["2", "2", "1", "0", "1", "1"]
    assert grade() == 0 and status()[0][-6:] == ["2", "2", "0", "0", "1", "1"]

    assert cli.main(["note", "bob", NAME, "the trace was right,", "marked again"]) == 0
    assert cli.main(["note", "bob", NAME, "second look"]) == 0
    (first, second) = status()[1]
    assert first.startswith(f"bob {NAME} ") and first.endswith("(open): the trace was right, marked again")
    assert second.endswith("(open): second look")
    assert cli.main(["note", "bob", NAME, "--done"]) == 0
    assert capsys.readouterr().out.count("(done)") == 2 and status()[1] == []
    assert cli.main(["note", "ada", NAME]) == 0 and "no note" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("due", NAME, "next", "Friday"), "'next Friday' is not a date and a time"),
        (("due", NAME, "2026-12-01"), "'2026-12-01' is not a date and a time"),
        (("due", "00-frist", DUE), "/00-frist.ipynb. The assignments are: 00-first-kernel."),
        (("extend", "adda", NAME, "--days", "2"), "handed in 00-first-kernel: did you mean ada?"),
        (("extend", "bob", NAME, "--days", "2"), "no student 'bob' on the list of students or"),
        (
            ("extend", "ada", "00-frist", "--days", "2"),
            "/00-frist.ipynb. The assignments are: 00-first-kernel.",
        ),
        (("extend", "ada", NAME, "--days", "-1"), "0 (no extension) to 366."),
        (("extend", "ada", NAME, "--days", "nan"), "0 (no extension) to 366."),
        (("excuse", "adda", NAME), "handed in 00-first-kernel: did you mean ada?"),
        (
            ("note", "ada", "00-frist", "look"),
            "/00-frist.ipynb. The assignments are: 00-first-kernel.",
        ),
    ],
)
def test_a_date_or_a_name_that_is_wrong_is_one_sentence_and_changes_nothing(room, capsys, arguments, sentence):
    hand_in(room, "ada")
    before = (room.folder / "grading" / "gradebook.db").read_bytes()
    assert cli.main(arguments) == 2
    told = capsys.readouterr()
    assert sentence in told.err and told.err.count("\n") == 1 and not told.out
    assert (room.folder / "grading" / "gradebook.db").read_bytes() == before


def test_a_penalty_method_that_does_not_exist_is_one_sentence_before_anything_is_judged(room, judged, capsys):
    hand_in(room, "ada")
    set_penalty(room, 'LateSubmissionPlugin.penalty_method = "half"')
    assert grade() == 2 and not judged
    told = capsys.readouterr().err
    assert "penalty_method" in told and "'zero'" in told and told.count("\n") == 1


# Hidden cases


@pytest.mark.filterwarnings("ignore::sqlalchemy.exc.SAWarning")  # nbgrader's own
def test_without_the_hidden_cases_no_mark_is_written(room, capsys, judged, monkeypatch):
    hand_in(room, "one")
    path = room.folder / "solutions" / NAME / f"{NAME}.ipynb"
    solution = room.read("solutions", NAME)
    for cell in filter(utils.is_grade, solution.cells):
        cell.metadata.course.cases = "hidden"  # as if the installed package lacked the question's hidden cases
    nbformat.write(solution, path)
    before = (room.folder / "grading" / "gradebook.db").read_bytes()
    assert grade() == 2
    told = capsys.readouterr()
    assert "The hidden cases of 00-blocks-check are missing" in told.err and told.err.count("\n") == 2
    assert not told.out and (room.folder / "grading" / "gradebook.db").read_bytes() == before

    course = Course()
    monkeypatch.setenv("NBGRADER_EXECUTION", "")  # nbgrader leaves it set after a failure
    result = NbGraderAPI(coursedir=course.directory, parent=course.app).autograde(
        NAME, "one"
    )  # the formgrader's button
    assert not result["success"] and "The hidden cases of 00-blocks-check are missing" in result["log"]
    with course.gradebook() as gradebook:
        submission = gradebook.find_submission(NAME, "one")
        assert {grade.auto_score for notebook in submission.notebooks for grade in notebook.grades} == {None}
    assert not judged and not files(room, "autograded/**/*")


# The terminal


def test_the_terminal_gets_no_warnings_of_libraries(room):
    hand_in(room, "one")
    command = [sys.executable, "-W", "default", "-m", "autograder.cli", *COMMAND]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (
        done.returncode == 0 and done.stderr.startswith("Warning: with --no-sandbox") and done.stderr.count("\n") == 1
    )


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


def change_points(room: Classroom, **points: float) -> None:
    path = room.folder / "solutions" / NAME / f"{NAME}.ipynb"
    solution = nbformat.read(path, as_version=4)
    for cell in filter(utils.is_grade, solution.cells):
        name = cell.metadata.nbgrader.grade_id.removeprefix("00-").removesuffix("-check")
        cell.metadata.nbgrader.points = points.get(name, cell.metadata.nbgrader.points)
    nbformat.write(solution, path)


def other_points(room: Classroom) -> None:
    change_points(room, blocks=3)


def another_answer(room: Classroom) -> None:
    path = room.folder / "solutions" / NAME / f"{NAME}.ipynb"
    solution = nbformat.read(path, as_version=4)
    added = copy.deepcopy(next(filter(utils.is_solution, solution.cells)))
    added.id = added.metadata.nbgrader.grade_id = "00-added"
    solution.cells.append(added)
    nbformat.write(solution, path)


def as_it_is(room: Classroom) -> None:
    pass


@pytest.mark.parametrize(
    ("change", "arguments", "sentence"),
    [
        (as_it_is, ("01-unknown",), rf"There is no .*/01-unknown\.ipynb\. The assignments are: {NAME}"),
        (as_it_is, (NAME, "01-unknown"), rf"There is no .*/01-unknown\.ipynb\. The assignments are: {NAME}"),
        (no_settings, (NAME,), "no nbgrader_config.py in"),
        (broken_settings, (NAME,), "nbgrader_config.py cannot be read: SyntaxError"),
        (no_gradebook, (NAME,), "There is no gradebook"),
        (broken_gradebook, (NAME,), r"gradebook .* cannot be used \(file is not a database\)"),
        (never_released, ("new",), "^new is not in the gradebook"),
        (no_solution, (NAME,), r"There is no .*ipynb\. The assignments are: none"),
        (broken_solution, (NAME,), "The solutions .* cannot be read"),
        (other_points, (NAME,), r"other questions or points than .*\.ipynb \(00-blocks-check\): run `make release`"),
        (another_answer, (NAME,), r"other questions or points than .*\.ipynb \(00-added\): run `make release`"),
        (nothing_handed_in, (NAME,), "Nothing was handed in"),
        (as_it_is, (NAME, "--student=nobody"), "Nothing was handed in: there is no .*nobody"),
        (as_it_is, (NAME, "--again", "--question=none"), f"'none'. The answers are {BLOCKS}, {CLINIC}"),
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
    assert re.search(r"needs nbgrader: run pip install -e '\.\[class\]'", capsys.readouterr().err)


def test_a_machine_that_cannot_judge_stops_the_grading_and_marks_nobody(room, capsys, monkeypatch):
    def judge_job(job: Job) -> Judgement:
        raise CourseError("There is no g++ here.")

    hand_in(room, "one")
    with monkeypatch.context() as patch:
        patch.setattr(jobs, "judge_job", judge_job)
        assert grade() == 2
    assert "There is no g++ here." in capsys.readouterr().err
    assert not scores(room) and not files(room, "autograded/**/*")
    assert grade() == 0 and scores(room) == {"one": 2}


def test_an_answer_that_times_out_is_listed_and_the_solution_stops_the_run(room, capsys, monkeypatch):
    def slow(*late: str) -> Callable[[Job], Judgement]:
        def judge_job(job: Job) -> Judgement:
            flags = ("timed out",) * job.answer.source.startswith(late)
            return Judgement(not flags, "", flags=flags)

        return judge_job

    hand_in(room, "one", blocks="while True: pass")
    hand_in(room, "two", blocks="while True: pass")
    hand_in(room, "three")
    monkeypatch.setattr(jobs, "judge_job", slow("while", "blocks"))
    assert grade() == 2 and not scores(room)
    assert "The instructor's own solution of 00-blocks" in capsys.readouterr().err
    monkeypatch.setattr(jobs, "judge_job", slow("while"))
    assert grade() == 1 and scores(room) == {"one": 1, "two": 1, "three": 2}
    out = capsys.readouterr().out
    assert all(f"{student} (00-blocks-check): timed out" in out for student in ("one", "two"))


def test_a_mark_whose_submission_is_gone_is_listed(room, capsys):
    for student in ("one", "two"):
        hand_in(room, student)
    assert grade() == 0
    shutil.rmtree(room.folder / "grading/submitted/two")
    assert grade("--student=one") == 0
    capsys.readouterr()
    assert grade() == 1 and scores(room)["two"] == 2
    assert "\ntwo: has a mark, but the submission that it is for is gone\n" in capsys.readouterr().out


def test_due_dates_and_extensions_need_no_pytorch(room):
    hand_in(room, "one")
    commands = [("due", NAME), ("due", NAME, DUE), ("extend", "one", NAME, "--days", "2")]
    code = (
        "import sys; from autograder import cli; "
        f"sys.exit(any([cli.main(each) for each in {commands!r}]) or 'torch' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_pruning_deletes_the_judgements_of_answers_that_were_replaced_and_no_others(room, judged, capsys):
    hand_in(room, "one", blocks="blocks = 3")
    assert grade() == 0
    hand_in(room, "one")
    assert grade() == 0 and len(judged) == 3
    for deleted in (1, 0):
        assert cli.main(["prune"]) == 0
        assert f"Stored judgements deleted: {deleted}" in capsys.readouterr().out
    assert grade() == 0 and len(judged) == 3 and scores(room) == {"one": 2}


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
    assert "\ntwo (00-blocks-check): no judgement is stored: the judge failed" in told.out
    assert re.search(r"\n1 submission needs attention: see above\. The log is \S+\.log\.\n$", told.out)
    assert "ZeroDivisionError" not in told.err
    assert scores(room) == {"one": 2, "two": 1} and "tell your instructor" in page(room, "two").read_text()
    assert "ZeroDivisionError: of the judge" in (room.folder / "grading" / "autograder.log").read_text()
    assert grade() == 0 and scores(room) == {"one": 2, "two": 2}
