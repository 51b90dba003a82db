"""`autograder question add`: a new question, whose texts are then to be filled in."""

import keyword
import re
from importlib.machinery import PathFinder
from pathlib import Path

import nbformat

from autograder.files import write_whole
from autograder.gradebook import Course
from autograder.points import put_points
from course.errors import CourseError
from course.tasks import HIDDEN, task_names

TEMPLATES = Path(__file__).parent / "templates"
FILL_IN = "FILL IN"  # what an instructor has still to write


def add(course: Course, assignment: str, name: str, points: int, hidden: int) -> list[Path]:
    """Add a question to the solutions of an assignment, above its tally, and return the files to fill in.

    These are the notebook, the task beside it, and the hidden cases. `points` are for the visible cases and `hidden`
    for the hidden ones; if `hidden` is 0, there are none. Raises CourseError, with nothing written, for an unknown
    assignment or one that was handed in, a name that is taken or cannot be used, and a number of points below 1.
    """
    path = course.solution(assignment)
    if course.students(assignment):
        raise CourseError(f"{assignment} was handed in, so nbgrader adds no question to it: use another assignment.")
    if not HIDDEN.is_dir():
        raise CourseError("The installed package has no hidden cases: add questions in a clone of the course.")
    if points < 1:
        raise CourseError("A question has at least 1 point.")
    name = name.replace("-", "_")
    if not re.fullmatch(r"[a-z][a-z0-9]*(_[a-z0-9]+)*", name) or keyword.iskeyword(name):
        raise CourseError(f"{name!r} cannot name a question: use small letters, digits and _, as in scaled_sum.")
    nb = nbformat.read(path, as_version=4)
    question = f"{assignment.partition('-')[0]}-{name.replace('_', '-')}"
    files = {path.with_name(f"{name}.py"): "question_task.txt", HIDDEN / f"{name}.py": "question_hidden.txt"}
    magics = (cell.source.split() for cell in nb.cells if cell.source.startswith("%%"))
    modules = [name for words in magics for name in words[1:2]]
    named = {*task_names(), *modules, *(cell.id for cell in nb.cells)}
    if {name, question} & named or any(each.exists() for each in files) or PathFinder.find_spec(name):
        raise CourseError(f"The name {name} is taken, by a question, a task or a module: use another name.")
    fresh = nbformat.reads(_filled("question.ipynb", name, question), as_version=4).cells
    fresh[2].metadata.nbgrader.points, fresh[3].metadata.nbgrader.points = points, hidden
    if not hidden:
        fresh.pop()
        fresh[0].source = fresh[0].source.replace(", and 1 hidden", "")
        files.popitem()
    places = [place - 1 for place, cell in enumerate(nb.cells) if cell.source.startswith("tally(")]
    place = places[0] if places else len(nb.cells)  # above the text of the tally
    nb.cells[place:place] = fresh
    put_points(nb)
    texts = {each: _filled(template, name, question) for each, template in files.items()}
    texts[path] = nbformat.writes(nb) + "\n"
    try:
        for each, text in texts.items():  # the notebook comes last, so that it is never without its task
            write_whole(each, text)
    except CourseError:
        for each in files:
            each.unlink(missing_ok=True)
        raise
    return [path, *files]


def _filled(template: str, name: str, question: str) -> str:
    text = (TEMPLATES / template).read_text(encoding="utf-8")
    return text.replace("question_name", name).replace("question-id", question)
