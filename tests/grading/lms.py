"""A class of 30 as Canvas and Moodle write it: archives of an assignment, and rosters."""

from __future__ import annotations

import csv
import json
import re
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

NAME = "00-first-kernel"
NAMES = """Lovelace, Ada|Gödel, Kurt|O'Brien, Seán|Müller-Lüdenscheidt, Änne|Smith, John|Smith, John|Nguyễn, Thị Ánh
de la Cruz, María-José|Łukasiewicz, Jan|Øverland, Åse|van 't Hoff, Jacobus|Zhāng, Wěi|Ibn Sina, Abu Ali|Hopper, Grace
Noether, Emmy|Turing, Alan|Curie, Marie|Ramanujan, Srinivasa|Kovalevskaya, Sofya|Euler, Leonhard|Gauss, Carl Friedrich
Poincaré, Henri|Erdős, Pál|Hamilton, Margaret|Liskov, Barbara|Knuth, Donald|Perlman, Radia|Dijkstra, Edsger W.
D'Alembert, Jean|Žižek, Slavoj"""


@dataclass(frozen=True)
class Student:
    """What a student handed in: names of files, in the order of uploads. `listed` is whether the roster has them."""

    name: str
    number: int
    files: tuple[str, ...] = (f"{NAME}.ipynb",)
    late: bool = False
    listed: bool = True

    @property
    def full_name(self) -> str:
        last, _, first = self.name.partition(", ")
        return f"{first} {last}"

    @property
    def email(self) -> str:
        return f"{re.sub(r'[^a-z]', '', self.name.split(',')[0].lower())}{self.number}@uni.example"


SPECIAL = {
    1: {"late": True},
    2: {"late": True},
    5: {"files": (f"{NAME}.ipynb", f"{NAME}-1.ipynb")},  # the other John Smith, twice
    6: {"files": (f"{NAME} (1).ipynb",)},
    7: {"files": ("my work.ipynb",)},
    8: {"files": ("work.zip",)},
    9: {"files": (f"{NAME}.ipynb", f"{NAME}-9.ipynb", f"{NAME}-10.ipynb"), "late": True},
    10: {"files": ("essay.pdf",)},
    11: {"files": ()},
    12: {"files": ()},
    28: {"listed": False},
    29: {"listed": False},
}
CLASS = [
    Student(name, 4700 + place, **SPECIAL.get(place, {}))
    for place, name in enumerate(NAMES.replace("\n", "|").split("|"))
]


def content(student: Student, file: str, notebook: bytes) -> bytes:
    """What a student uploads as `file`: `notebook`, a JSON object, with a key that says whose file it is."""
    if file.endswith(".pdf"):
        return b"%PDF-1.7"
    if file.endswith(".zip"):
        with zipfile.ZipFile(packed := BytesIO(), "w") as archive:
            archive.writestr(f"{NAME}.ipynb", content(student, f"{NAME}.ipynb", notebook))
        return packed.getvalue()
    return json.dumps(json.loads(notebook) | {"upload": f"{student.number}/{file}"}).encode()


def canvas_path(student: Student, place: int) -> str:
    """As Canvas's `ContentZipper` names a file: the letters of the name, the numbers of user and file, its own name."""
    name = re.sub(r"\W", "", student.name.lower())
    return f"{name}{'_LATE' * student.late}_{student.number}_{990 + place}{student.number}_{student.files[place]}"


def moodle_path(student: Student, place: int) -> str:
    """As Moodle's `downloader` names a file: a folder with the name and the participant's number."""
    name = student.full_name.replace("'", "")  # Moodle allows no apostrophes in names of files
    return f"{name}_{student.number}_assignsubmission_file/{student.files[place]}"


def archive(
    target: Path,
    form,
    notebook: bytes = b"{}",
    students: Sequence[Student] = CLASS,
    others: Mapping[int, bytes] | None = None,
) -> Path:
    """Write the archive of a class, each student's files by name. `form` is `canvas_path` or `moodle_path`.

    `others` has the notebooks, by number, of students who do not hand in `notebook`.
    """
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as zipped:
        for student in students:
            for path, file in sorted((form(student, place), file) for place, file in enumerate(student.files)):
                zipped.writestr(path, content(student, file, (others or {}).get(student.number, notebook)))
    return target


def write(path: Path, rows: Sequence[Sequence[object]], delimiter: str = ",") -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, delimiter=delimiter).writerows(rows)
    return path


def canvas_roster(path: Path, points: object = "", delimiter: str = ",", title: str = f"{NAME} (815)") -> Path:
    """The export of Canvas's gradebook, with an assignment of this title and another one."""
    header = ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", title, "Quiz (816)", "Final Score"]
    rows = [header, ["", "", "", "", "", "Manual Posting", "", ""]]
    rows += [["    Points Possible", "", "", "", "", points, "10.00", "(read only)"]]
    for each in filter(lambda each: each.listed, CLASS):
        grade = {4713: "EX", 4711: "3.00"}.get(each.number, "")
        rows += [[each.name, each.number, f"U{each.number}", each.email, "Monday", grade, "7", "70"]]
    return write(path, rows, delimiter)


def moodle_worksheet(path: Path, points: object = "8.00") -> Path:
    """The grading worksheet of an assignment."""
    header = ["Identifier", "Full name", "Email address", "Status", "Grade", "Maximum Grade", "Grade can be changed"]
    rows = [[*header, "Last modified (submission)", "Last modified (grade)", "Feedback comments"]]
    for each in filter(lambda each: each.listed, CLASS):
        time = f"Tuesday, 1 December 2026, {'9:05' if each.late else '5:30'} PM" if each.files else "-"
        row = [f"Participant {each.number}", each.full_name, each.email.title(), "Draft", "", points, "Yes", time, "-"]
        rows += [[*row, 'Well done,\n"Ada"' if each.number == 4700 else ""]]
    write(path, rows).write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    return path
