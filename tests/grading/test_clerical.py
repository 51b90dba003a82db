"""A class of 40 whose answers are right, and whose files are not in order: `python -m tests.grading.test_clerical`."""

from __future__ import annotations

import contextlib
import copy
import io
import json
import re
import shutil
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from html import unescape
from pathlib import Path

import pytest
from nbgrader.api import Gradebook

from autograder import cli
from autograder.classroom import Classroom
from tests.classes import of_questions

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::sqlalchemy.exc.SAWarning")]  # nbgrader's own
NAME, BLOCKS, ADD = "00-first-kernel", "00-blocks", "00-add"
FILE = f"{NAME}.ipynb"
Change = Callable[[dict], None]  # of a notebook, as JSON
Place = Callable[[Path, bytes], None]  # puts the notebook into the folder of a submission


# Changes of the notebook


def answer(notebook: dict, name: str) -> dict:
    return next(cell for cell in notebook["cells"] if cell["metadata"].get("nbgrader", {}).get("grade_id") == name)


def text(cell: dict) -> str:
    return "".join(cell["source"])


def above(name: str, lines: str) -> Change:
    return lambda notebook: answer(notebook, name).update(source=lines + text(answer(notebook, name)))


def saying(name: str, old: str, new: str) -> Change:
    return lambda notebook: answer(notebook, name).update(source=text(answer(notebook, name)).replace(old, new))


def copied(name: str, edit: Callable[[str], str] = str, **lost: dict) -> Change:
    """A second cell with the answer, edited, above the first."""

    def change(notebook: dict) -> None:
        cell = copy.deepcopy(answer(notebook, name)) | lost
        notebook["cells"].insert(0, cell | {"source": edit(text(cell))})

    return change


def lost(*names: str, metadata: dict | None = None) -> Change:
    return lambda notebook: [answer(notebook, name).update(metadata=metadata or {}) for name in names] and None


def typed(name: str, kind: str) -> Change:
    return lambda notebook: answer(notebook, name).update(cell_type=kind)


def without(name: str) -> Change:
    return lambda notebook: notebook["cells"].remove(answer(notebook, name))


def both(*changes: Change) -> Change:
    return lambda notebook: [change(notebook) for change in changes] and None


def nothing(notebook: dict) -> None:
    pass


def untouched(source: str) -> str:
    return re.sub(r"//+ BEGIN SOLUTION.*?END SOLUTION", "// YOUR CODE HERE", source, flags=re.DOTALL)


def of_another_assignment(notebook: dict) -> None:
    for cell in notebook["cells"]:
        if "nbgrader" in cell["metadata"]:
            cell["metadata"]["nbgrader"]["grade_id"] = cell["metadata"]["nbgrader"]["grade_id"].replace("00-", "99-")


# Places of the notebook


def named(*paths: str, fill: int = 0) -> Place:
    def place(folder: Path, content: bytes) -> None:
        for path in paths:
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(content + b" " * fill)

    return place


def zipped(*members: str, archive: str = f"{NAME}.zip", mode: int = 0o100644, fill: int = 0) -> Place:
    def place(folder: Path, content: bytes) -> None:
        with zipfile.ZipFile(folder / archive, "w", zipfile.ZIP_DEFLATED) as file:
            for member in members:
                info = zipfile.ZipInfo(member)
                info.external_attr, info.compress_type = mode << 16, zipfile.ZIP_DEFLATED
                file.writestr(info, b"not a notebook" if "__MACOSX" in member else content + b" " * fill)

    return place


def damaged(folder: Path, content: bytes) -> None:
    (folder / f"{NAME}.zip").write_bytes(b"PK\3\4" + content)


def linked_folder(folder: Path, content: bytes) -> None:
    (folder / "work").symlink_to(folder.parents[1] / "s01" / NAME)


def two(*places: Place) -> Place:
    return lambda folder, content: [place(folder, content) for place in places] and None


# Each student: the change, the place, the points for 00-blocks and 00-add, and what the student is told of it.
HERE, ALL = named(FILE), (1, 2)
CLASS: dict[str, tuple[Change, Place, tuple[float, float], str]] = {
    "s01": (nothing, HERE, ALL, ""),
    "s02": (saying(BLOCKS, "+ 255", ""), HERE, (0, 2), ""),
    "time above": (above(ADD, "%%time\n"), HERE, ALL, ""),
    "title above": (above(ADD, "#@title Add\n"), HERE, ALL, ""),
    "capture above": (above(ADD, "%%capture\n"), HERE, ALL, ""),
    "space above": (above(ADD, " "), HERE, ALL, ""),
    "timed number": (above(BLOCKS, "%%time\n"), HERE, ALL, ""),
    "include above": (above(ADD, "#include <cmath>\n"), HERE, (1, 0), "%%cuda must be on the first line of its cell"),
    "code above": (above(ADD, "import math\n"), HERE, (1, 0), "Move the lines above it below it: import math"),
    "capitals": (saying(ADD, "%%cuda", "%%CUDA"), HERE, (1, 0), "%%CUDA is no magic of the course: write %%cuda NAME"),
    "no magic": (saying(ADD, "%%cuda adder\n", ""), HERE, (1, 0), "The line %%cuda NAME is missing"),
    "copied": (copied(ADD), HERE, ALL, "handed in 2 times, with the same text"),
    "copied blanks": (copied(ADD, lambda source: f"\n{source}  \n\n"), HERE, ALL, "2 times, with the same text"),
    "copied number": (copied(BLOCKS), HERE, ALL, "00-blocks was handed in 2 times, with the same"),
    "copied early": (copied(ADD, untouched), HERE, ALL, "00-add was handed in 2 times, but only one"),
    "copied empty": (copied(ADD, lambda _: ""), HERE, ALL, "00-add was handed in 2 times, but only one"),
    "two answers": (copied(ADD, lambda source: source + "\n// 2"), HERE, (1, 0), "with different texts: delete"),
    "lost": (lost(ADD), HERE, ALL, "00-add had lost its name, and was found by what it defines"),
    "lost number": (lost(BLOCKS), HERE, ALL, "00-blocks had lost its name, and was found by what it defines"),
    "lost all": (lost(ADD, BLOCKS), HERE, ALL, "00-blocks had lost its name"),
    "foreign": (lost(ADD, metadata={"nbgrader": {"grade_id": "cell-1f"}}), HERE, ALL, "00-add had lost its name"),
    "lost and copied": (both(copied(ADD, metadata={}), without(ADD)), HERE, ALL, "00-add had lost its name"),
    "lost twice": (
        both(copied(ADD, lambda source: source + "\n// 2", metadata={}), lost(ADD)), HERE, (1, 0), "00-add is missing"
    ),
    "markdown": (typed(ADD, "markdown"), HERE, ALL, "00-add was turned into a markdown cell, and its text was taken"),
    "raw": (typed(BLOCKS, "raw"), HERE, ALL, "00-blocks was turned into a raw cell, and its text was taken"),
    "downloaded": (nothing, named(f"{NAME} (1).ipynb"), ALL, f"found as {NAME} (1).ipynb"),
    "copy of": (nothing, named(f"Copy of {FILE}", f".ipynb_checkpoints/{FILE}"), ALL, f"found as Copy of {FILE}"),
    "capital suffix": (nothing, named(f"{NAME}.IPYNB"), ALL, f"found as {NAME}.IPYNB"),
    "nested": (nothing, named(f"work/{FILE}"), ALL, f"found as work/{FILE}"),
    "nested, exact": (nothing, named(f"work/{FILE}", "work/notes.ipynb"), ALL, f"found as work/{FILE}"),
    "zip": (nothing, zipped(FILE), ALL, f"found as {NAME}.zip/{FILE}"),
    "zip of a Mac": (nothing, zipped("a/b.ipynb", "__MACOSX/a/._b.ipynb", "__MACOSX/b.ipynb"), ALL, "zip/a/b.ipynb"),
    "zip, two ids": (lost(ADD), zipped("mine.ipynb", mode=0), ALL, "00-add had lost its name"),
    "exact beside": (nothing, named(FILE, f"{NAME} (1).ipynb"), ALL, ""),
    "two names": (nothing, two(named("a.ipynb"), named("b.ipynb", fill=1)), (0, 0), "It has a.ipynb, b.ipynb: hand in"),
    "two zips": (nothing, two(zipped(FILE), zipped(FILE, archive="a.zip", fill=1)), (0, 0), f"{FILE}, a.zip/{FILE}"),
    "unpacked": (nothing, two(zipped(FILE), named(f"{NAME}/{FILE}")), ALL, f"The notebook was found as {NAME}/{FILE}"),
    "damaged zip": (nothing, damaged, (0, 0), f"{NAME}.zip cannot be read as a zip file: hand in the notebook itself"),
    "zip bomb": (nothing, zipped(FILE, fill=65 << 20), (0, 0), f"{FILE} in {NAME}.zip is larger than 64 MiB"),
    "zip of a link": (nothing, zipped(FILE, mode=0o120777), (0, 0), f"There is no {FILE} in the submission."),
    "zip outside": (nothing, zipped(f"../{FILE}"), (0, 0), f"There is no {FILE} in the submission."),
    "linked": (nothing, linked_folder, (0, 0), f"There is no {FILE} in the submission."),
    "another": (of_another_assignment, named("01.ipynb"), (0, 0), "01.ipynb, has no answer cell of this assignment"),
    "S18-wrong-folder": (nothing, HERE, ALL, ""),
}  # fmt: skip
UNFLAGGED = {"s01", "s02", "time above", "title above", "capture above", "space above", "timed number", "exact beside"}


def graded(folder: Path) -> tuple[Classroom, int, str]:
    """The graded class, the exit status of `autograder grade`, and what it printed."""
    room = of_questions(folder, NAME, {BLOCKS, ADD})
    original = json.loads((room.folder / "solutions" / NAME / FILE).read_text())
    for student, (change, place, *_) in CLASS.items():
        notebook = copy.deepcopy(original)
        change(notebook)
        target = room.folder / "grading" / "submitted" / student / NAME
        target.mkdir(parents=True)
        place(target, json.dumps(notebook).encode())
    with gradebook(room) as book:
        for student in {*CLASS, "s18"} - {"S18-wrong-folder"}:
            book.add_student(student, last_name="Somebody")
    printed = io.StringIO()
    with here(room), contextlib.redirect_stdout(printed):
        return room, cli.main(["grade", "--no-sandbox", NAME]), printed.getvalue()


@contextlib.contextmanager
def here(room: Classroom) -> Iterator[None]:
    """In the folder of the course; nbgrader puts this folder on the path of Python."""
    with contextlib.chdir(room.folder), pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "path", sys.path[:])
        yield


def gradebook(room: Classroom) -> Gradebook:
    return Gradebook(f"sqlite:///{room.folder}/grading/gradebook.db", "cuda-kernels")


def marks(room: Classroom) -> dict[str, tuple[float, float]]:
    """The points of each student for the two answers."""
    with gradebook(room) as book:
        found = {each.student.id: each.notebooks[0].grades for each in book.assignment_submissions(NAME)}
        return {
            student: tuple(sum(each.score for each in grades if each.name.startswith(name)) for name in (BLOCKS, ADD))
            for student, grades in found.items()
        }


@pytest.fixture(scope="module")
def clerical(tmp_path_factory: pytest.TempPathFactory) -> tuple[Classroom, int, str]:
    return graded(Path(tmp_path_factory.mktemp("clerical")))


def test_nothing_unambiguous_costs_a_point(clerical):
    assert marks(clerical[0]) == {student: points for student, (_, _, points, _) in CLASS.items()}


def test_the_student_is_told_what_was_assumed_or_why_nothing_was_taken(clerical):
    for student, (*_, sentence) in CLASS.items():
        page = unescape((clerical[0].folder / "grading" / "feedback" / student / NAME / f"{NAME}.html").read_text())
        assert sentence in " ".join(page.split()), student


def test_the_command_lists_and_counts_what_needs_attention_and_the_report_lists_the_same(clerical, capsys):
    room, status, told = clerical
    *looks, last = told.partition("The feedback pages are in")[2].splitlines()[1:]
    listed = {re.split(r" \(00-|: ", look)[0] for look in looks}
    assert status == 1 and listed == set(CLASS) - UNFLAGGED
    assert last.startswith(f"{len(listed)} submissions need attention: see above.")
    assert any(look.startswith("S18-wrong-folder: not in the list of students (did you mean s18?)") for look in looks)
    for student, (*_, sentence) in CLASS.items():
        assert sentence in "\n".join(look for look in looks if look.startswith(student)), student
    with here(room):
        assert cli.main(["report", NAME]) == 0
    page = Path(capsys.readouterr().out.removeprefix("Report: ").strip()).read_text()
    part = page.split(">Submissions that need attention</h2>")[1].split("<h2 ")[0]
    rows = re.findall("<tr>(.*?)</tr>", part)[1:]
    cells = [re.findall("<t[hd][^>]*>(.*?)</t[hd]>", row) for row in rows]
    text = [unescape(re.sub("<[^>]*>", "", "|".join(row))) for row in cells]
    shown = [re.sub(r"^[^|]+ \(([^|]+)\)\|", r"\1|", row) for row in text]  # without the names of persons
    assert shown == [re.sub(r"^(.*?)(?: \((00-[^)]*)\))?: ", r"\1|\2|", look).replace("`", "") for look in looks]


def test_only_answers_are_copied(clerical):
    for step in ("autograded", "feedback"):
        names = {path.name for path in (clerical[0].folder / "grading" / step).rglob("*") if path.is_file()}
        assert names == {FILE if step == "autograded" else f"{NAME}.html"}


def test_nbgraders_own_command_takes_a_renamed_notebook(clerical):
    room, *_ = clerical
    before = marks(room)
    room.nbgrader("autograde", NAME, "--force", "--student=downloaded", "--JudgeAnswers.sandbox=False")
    assert marks(room) == before


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        room, status, told = graded(Path(folder))
        found = marks(room)
        for student, (*_, expected, _) in CLASS.items():
            wrong = "" if found[student] == expected else f"  but right is {expected}"
            print(f"{student:18} {sum(found[student]):g} of 4{wrong}")
        print(told, f"Exit status {status}", sep="\n")
        shutil.rmtree(folder, ignore_errors=True)
