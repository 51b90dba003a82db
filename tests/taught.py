"""A class of 60 whose mistakes, copies and late work are known: what a report about it must show.

Thirty students have a mistake of the gallery in their kernel for `00-add`, or a wrong prediction. Ten have copied
the long kernel, `relu`, and twenty are right and wrote short answers of their own. The verdicts on the wrong answers
are recorded (`python -m tests.benchmarks.taught_class --record`), so no answer need be judged.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

import nbformat
from nbformat.notebooknode import NotebookNode
from nbformat.v4 import new_code_cell, new_notebook
from nbgrader.api import Gradebook

from autograder.classroom import ROOT, Classroom
from autograder.grade import submissions
from autograder.gradebook import Course
from autograder.judging.jobs import Judgement
from tests.gallery import gallery
from tests.grading.test_similar import commented, inlined, renamed, reordered

NAME = "00-taught"
RECORDED = Path(__file__).with_name("taught.json")
SOURCE = "relu-three-dimensions"  # the instructor's own kernel for `relu`
KERNELS = {path.stem: path.read_text() for path in sorted((ROOT / "tests" / "honest").glob("relu-*.cu"))}
COPIES = {
    "copy-of-names": ("relu-int4-union", renamed),
    "copy-of-order": ("relu-pitched-copy", reordered),
    "copy-of-comments": ("relu-static-workspace", commented),
    "copy-with-a-helper-inlined": ("relu-sign-bit", inlined),
    "copy-of-names-and-comments": ("relu-recursion", lambda text: commented(renamed(text))),
    "copy-of-names-and-order": ("relu-packed-accessor", lambda text: renamed(reordered(text))),
    "copy-of-a-number": ("relu-constexpr-table", lambda text: text.replace("256", "128")),
    "copy-of-everything": ("relu-malloc-async", lambda text: text),
    "copy-of-the-solution": (SOURCE, renamed),
    "copy-of-the-solution-again": (SOURCE, lambda text: commented(reordered(text))),
}
LINE = "C[i] = A[i] + B[i];"
# Mistakes that the gallery has in another kernel, as changes of this one.
OWN = {
    "00-index-multiplied": ("* blockDim.x + threadIdx.x", "* threadIdx.x"),
    "00-missing-semicolon": ("A[i] + B[i];", "A[i] + B[i]"),
    "00-no-launch": ("    add_kernel<<<", "    // add_kernel<<<"),
    "00-tensors-passed": ("A.data_ptr<float>(), B.data_ptr<float>(), C.data_ptr<float>()", "A, B, C"),
}
BLOCKS = {
    "rounded down": "blocks = 3906",
    "threads": "blocks = 1_000_003",
    "one": "blocks = 1",
    "a thread": "blocks = 256",
    "all": "blocks = 3907 * 256",
}


@dataclass(frozen=True)
class Student:
    """What a student hands in, in place of what was given out, and the name of the mistake in it, if there is one."""

    answers: Mapping[str, str]
    mistake: str = ""


def students() -> dict[str, Student]:
    """The students, by name."""
    solution = answers_of(notebook())
    right = {name: solution[name] for name in ("00-blocks", "00-add")}
    found = {}
    wrong = [each for each in gallery() if each.name.startswith("00-") and each.task.startswith("vector_add")]
    wrong = [each for each in wrong if each.refused_by != ("remark",)][:25]
    for number, each in enumerate(wrong):
        old, new = OWN.get(each.name, ("", ""))
        text = right["00-add"].replace(old, new) if old else f"%%cuda adder\n{each.answer.source}"
        bet = f'bet("one kernel over two", {1 + number / 10:g})'
        found[f"wrong-{each.name}"] = Student({**right, "00-add": text, "00-bet": bet}, each.name)
    for name, text in BLOCKS.items():
        found[f"wrong-blocks-{name.replace(' ', '-')}"] = Student({**right, "00-blocks": text}, name)
    own = [name for name in KERNELS if name != SOURCE]
    for number in range(20):
        name = "i" if number % 2 else f"index{number}"
        kernel = right["00-add"].replace(" i ", f" {name} ").replace("(i <", f"({name} <").replace("[i]", f"[{name}]")
        answers = {**right, "00-add": f"{kernel}// {number}\n"}
        if number < len(own):
            answers["00-relu"] = f"%%cuda rectifier\n{KERNELS[own[number]]}"
        found[f"right-{own[number] if number < len(own) else number}"] = Student(answers)
    for name, (of, change) in COPIES.items():
        found[name] = Student({**right, "00-relu": f"%%cuda rectifier\n{change(KERNELS[of])}"})
    return found


def copies() -> set[frozenset[str]]:
    """The pairs of similar answers to `00-relu`, by the names of the students."""
    found = {frozenset((who, "the solution" if of == SOURCE else f"right-{of}")) for who, (of, _) in COPIES.items()}
    return found | {frozenset(who for who, (of, _) in COPIES.items() if of == SOURCE)}


def notebook() -> NotebookNode:
    """The instructor's notebook: two questions of notebook 00, a bet, and a kernel that is all the student's own."""
    cells = Classroom(ROOT).read("solutions", "00-first-kernel").cells
    for cell in cells:
        if cell.metadata.get("nbgrader", {}).get("grade_id") == "00-add":
            cell.source = f"%%cuda adder\n{_solution()}"  # which the gallery's mistakes are changes of
    own = f"%%cuda rectifier\n// BEGIN SOLUTION\n{KERNELS[SOURCE]}// END SOLUTION"
    cells = [cell for cell in cells if _of(cell) & {"00-blocks", "00-add"}]
    cells += [_cell("00-bet", 'bet("one kernel over two", None)'), _cell("00-relu", own)]
    course = {"answer": "00-relu", "cases": "visible", "function": "relu", "task": "relu"}
    cells += [_cell("00-relu-check", 'check("relu", rectifier.relu, points=2)', grade=True, points=2)]
    cells[-1].metadata["course"] = course
    return new_notebook(cells=cells)


def answers_of(notebook: NotebookNode) -> dict[str, str]:
    """The texts of the answer cells."""
    cells = (cell for cell in notebook.cells if cell.metadata.nbgrader.solution)
    return {cell.metadata.nbgrader.grade_id: cell.source for cell in cells}


def released(folder: Path) -> Classroom:
    """A course with this assignment, released, and everybody's work handed in."""
    path = folder / "solutions" / NAME / f"{NAME}.ipynb"
    path.parent.mkdir(parents=True)
    nbformat.write(notebook(), path)
    room = Classroom.anew(folder / "course", folder / "solutions")
    room.release()
    for name, student in students().items():

        def change(_: str, notebook: NotebookNode, student: Student = student) -> None:
            for cell in notebook.cells:
                cell.source = student.answers.get(cell.metadata.get("nbgrader", {}).get("grade_id"), cell.source)

        room.hand_in(name, "notebooks", change)
    return room


def marked(course: Course) -> None:
    """Enter the recorded judgements and their marks, with names of persons, and late, missing and excused students.

    `course` is in the current folder.
    """
    recorded = json.loads(RECORDED.read_text())
    with course.gradebook() as gradebook:
        gradebook.update_or_create_assignment(NAME, duedate=DUE)
        for number, each in enumerate(submissions(course, NAME)):
            gradebook.update_or_create_student(each.student, first_name="Zoë", last_name=f"Quill{number}")
            late = timedelta(days=each.student.startswith("copy-of-names"))
            gradebook.update_or_create_submission(NAME, each.student, timestamp=DUE + late)
            for name, job in each.jobs.items():
                known = recorded.get(students()[each.student].mistake, {})
                blank = name.startswith("00-relu") and "00-relu" not in students()[each.student].answers
                data = {"correct": not blank, "reason": "", "mistakes": ["does not build"] * blank, "flags": []}
                judgement = Judgement.from_json(known.get(name, data))
                course.store.keep(job, judgement)
                grade = gradebook.find_grade(name, NAME, NAME, each.student)
                grade.auto_score, grade.needs_manual_grade = judgement.correct * grade.cell.max_score, False
        gradebook.update_or_create_student("absent", first_name="Zoë", last_name="Absent")
        gradebook.db.commit()


DUE = datetime(2026, 12, 1, 18)


def _solution() -> str:
    """The kernel whose guard the gallery has one element too far, corrected, with the marks of what is left out."""
    (wrong,) = (each.answer.source for each in gallery() if each.name == "00-guard-one-too-far")
    text = "".join(line for line in wrong.splitlines(keepends=True) if not line.startswith("//"))
    parts = re.split(
        r"((?<=int N\) \{\n).*?(?=^\}\n)|^    add_kernel.*?\n)", text.replace("<= N", "< N"), flags=re.S | re.M
    )
    marked = "    // BEGIN SOLUTION\n{}    // END SOLUTION\n".format
    return "".join(marked(part) if number % 2 else part for number, part in enumerate(parts))


def _of(cell: NotebookNode) -> set[str]:
    return {cell.metadata.get("nbgrader", {}).get("grade_id"), cell.metadata.get("course", {}).get("answer")} - {None}


def _cell(name: str, source: str, grade: bool = False, points: int = 0) -> NotebookNode:
    data = {
        "grade": grade,
        "grade_id": name,
        "locked": grade,
        "schema_version": 3,
        "solution": not grade,
        "task": False,
    }
    return new_code_cell(source, metadata={"nbgrader": data | ({"points": points} if grade else {})})


def everyone(folder: Path) -> Gradebook:
    """The gradebook of a course in `folder`."""
    return Gradebook(f"sqlite:///{folder}/grading/gradebook.db", "cuda-kernels")
