"""`autograder lint`: checks the solutions, their tasks and their hidden cases, as the tests of the course do.

A rule is a function of an assignment, and yields a sentence for each fault. The rules of HOUSE are about style, and
`c.Lint.house_rules` lists those that count. All others are about what is right.
"""

import ast
import copy
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import nbformat
from nbformat.notebooknode import NotebookNode
from nbgrader import utils
from traitlets import List, Unicode
from traitlets.config import Configurable

from autograder import in_sight
from autograder.cells import about, answers_in, graded, is_code
from autograder.gradebook import Course
from autograder.judging.jobs import hidden_cases
from autograder.plugins.clear_solutions import ClearSolutions
from autograder.points import NUMBER, headings, put_points
from autograder.question import FILL_IN
from autograder.questions import question_faults
from course.errors import CourseError
from course.notebook.bets import bet_in, variants
from course.referee.prediction import compare_prediction, known_mistakes
from course.referee.values import is_right_value
from course.tasks import HIDDEN, Task, load_task, prediction_texts, task_name, task_names

FENCED = re.compile(r"^ *```\w*\n(.*?)^ *```", re.MULTILINE | re.DOTALL)
LARGE = 50  # from here on, a number in a sentence gives the answer away; a smaller one may be there by chance


class Lint(Configurable):
    """The settings of `autograder lint`."""

    house_rules = List(
        Unicode(),
        default_value=["hints", "says_what_hidden_cases_look_at", "announces_bets"],
        help="The rules about style that count. Those about points, answers and tasks always do.",
    ).tag(config=True)


@dataclass(frozen=True)
class Assignment:
    """The solutions of an assignment."""

    path: Path
    nb: NotebookNode

    @classmethod
    def read(cls, path: Path) -> "Assignment":
        return cls(path, nbformat.read(path, as_version=4))

    @property
    def name(self) -> str:
        return self.path.stem

    @cached_property
    def answers(self) -> dict[str, NotebookNode]:
        """The answers that are judged, by name."""
        marked = {about(cell, "answer") for cell in graded(self.nb)}
        return {name: cell for name, cell in answers_in(self.nb).items() if name in marked}

    @cached_property
    def tasks(self) -> dict[str, Task]:
        """The tasks that graded cells name, as far as there are such tasks."""
        found = {}
        for name in {task_name(about(cell, "task")) for cell in graded(self.nb)}:
            own = self.path.with_name(f"{name}.py")
            if name in task_names() or own.is_file():
                found[name] = load_task(name if name in task_names() else own)
        return found


# What must be right.


def names_each_cell_once(each: Assignment) -> Iterator[str]:
    names = Counter(cell.metadata.nbgrader.grade_id for cell in each.nb.cells if "nbgrader" in cell.metadata)
    ids = Counter(cell.id for cell in each.nb.cells)
    yield from (f"{count} cells are called {name}." for name, count in (ids | names).items() if count > 1)


def is_filled_in(each: Assignment) -> Iterator[str]:
    yield from (f"The cell {cell.id} still says {FILL_IN}." for cell in each.nb.cells if FILL_IN in cell.source)
    own = [each.path.with_name(f"{name}.py") for name in each.tasks]
    for path in [*own, *(HIDDEN / f"{name}.py" for name in each.tasks)]:
        if path.is_file() and FILL_IN in path.read_text(encoding="utf-8"):
            yield f"{path} still says {FILL_IN}."


def states_points_alike(each: Assignment) -> Iterator[str]:
    """In "(2 points, 1 for its sectors, and 1 hidden)", the numbers are those of the graded cells below, in order."""
    for _, line, below in headings(each.nb):
        said = re.search(rf" \(({NUMBER} points?\b[^()]*)\)$", line)
        numbers, hidden = (
            [float(number) for number in re.findall(form, said[1] if said else "")]
            for form in (NUMBER, rf"({NUMBER}) hidden")
        )
        points = [cell.metadata.nbgrader.points for cell in below]
        unseen = [cell.metadata.nbgrader.points for cell in below if about(cell, "cases") == "hidden"]
        if numbers != points or hidden != unseen:
            has = ", ".join(f"{number:g}" for number in points) or "no points"
            yield f"The heading {line!r} has other points than the graded cells below it, which have {has}."
    kinds = {cell.id: cell.cell_type for cell in each.nb.cells}
    for name in sorted(put_points(copy.deepcopy(each.nb))):
        if kinds[name] == "code":
            yield f"The cell {name} states other points than the metadata of graded cells: `make release` puts them in."


def asks_what_metadata_say(each: Assignment) -> Iterator[str]:
    for cell in graded(each.nb):
        name, metadata = cell.metadata.nbgrader.grade_id, cell.metadata.get("course", {})
        answer, task, function, cases = (metadata.get(key, "") for key in ("answer", "task", "function", "cases"))
        if answer not in each.answers:
            yield f"{name} names no answer in its metadata."
            continue
        try:
            call: Any = ast.parse(cell.source, mode="eval").body
            given = {keyword.arg: ast.literal_eval(keyword.value) for keyword in call.keywords}
            said = call.func.id, call.args[0].value, given.get("cases", "visible")
            bound, _, attribute = ast.unparse(call.args[1]).partition(".")
        except (SyntaxError, AttributeError, IndexError, ValueError):
            yield f"{name} must be one call of `check`, with literals."
            continue
        magic, module = [*each.answers[answer].source.split("\n", 1)[0].split(), "", ""][:2]
        expected = (module, attribute or "ModelNew") if magic.startswith("%%") else (bound, bound + attribute)
        if said != ("check", task, cases) or (bound, function) != expected:
            yield f"The call of `check` in {name} asks something else than its metadata."
        hidden = HIDDEN / f"{task_name(task)}.py"
        if task_name(task) not in each.tasks:
            yield f"{name} checks the task {task}, which is not there."
        elif cases == "hidden" and not hidden.is_file():
            yield f"{name} has no hidden cases: {hidden} is not there."
        shown = re.sub(r"### BEGIN HIDDEN TESTS\n.*### END HIDDEN TESTS", "", cell.source, flags=re.DOTALL)
        if ("check(" in shown) == (cases == "hidden"):
            yield f"{name}: only a call of `check` with hidden cases is between BEGIN and END HIDDEN TESTS."
        if not cell.metadata.nbgrader.locked:
            yield f"{name} is not locked, so students could change it."


def marks_each_answer(each: Assignment) -> Iterator[str]:
    for name, cell in answers_in(each.nb).items():
        others = bet_in(cell.source) or cell.source.startswith("%%triton") or utils.is_grade(cell)
        if name not in each.answers and not others:
            yield f"No graded cell asks for the answer {name}."


def has_tasks_that_can_be_judged(each: Assignment) -> Iterator[str]:
    for task in each.tasks.values():
        yield from task_faults(task)


def task_faults(task: Task) -> Iterator[str]:
    """What is wrong with the tolerance and the cases of a task, visible and hidden."""
    if task.sum_length is None and not task.asks_for_a_value:
        yield f"The task {task.name} states no `sum_length()`, so nobody has decided its tolerance."
    hidden = [hidden_cases(task.name)] if (HIDDEN / f"{task.name}.py").is_file() else []
    if not all([task.cases, *hidden]) and not task.asks_for_a_value:
        yield f"The task {task.name} has no {'hidden' if task.cases else 'visible'} cases."
    for case in [*task.cases, *(hidden[0] if hidden else [])]:
        try:
            sized = task.sized(case.sizes)
            inputs = sized.inputs(case, 5, "cpu")
            if case.expect == "value":
                sized.reference(inputs)
        except Exception as error:
            yield f"The task {task.name} has no right answer for {case}: {error}"
            return  # most mistakes concern all cases


def uses_each_task(each: Assignment) -> Iterator[str]:
    """A file beside the notebook is a task that a graded cell or an ungraded `check` asks for."""
    said = "\n".join(cell.source for cell in each.nb.cells if cell.cell_type == "code")
    for own in sorted(each.path.parent.glob("*.py")):
        if not re.search(rf"\b{own.stem}\b", said):
            yield f"No cell uses the task {own.name}, which students would get: remove the file."


def predicts_with_hint_and_mistakes(each: Assignment) -> Iterator[str]:
    """The likely mistakes are told apart, and no sentence about them gives the answer away."""
    for name in sorted(prediction_texts().keys() - {"any_number", *task_names()}):
        yield f"predictions.toml has a table {name}, but there is no prediction of this name."
    for name, task in each.tasks.items():
        if not task.asks_for_a_value:
            continue
        if not prediction_texts().get(name, {}).get("hint"):
            yield f"The prediction {name} has no hint in predictions.toml."
            continue
        right = task.reference([])
        for key in right if isinstance(right, dict) else [""]:
            answer = right[key] if key else right
            for value, sentence in known_mistakes(task, answer, key).items():
                said = compare_prediction(task, {**right, key: value} if key else value, right).detail
                if is_right_value(value, answer) or f"{value!r} {sentence}" not in said:
                    yield f"The prediction {name} has a mistake {value!r} that is right, or whose sentence is not told."
                large = isinstance(answer, int | float) and answer >= LARGE
                if large and any(number in sentence for number in (f"{answer}", f"{answer:,}")):
                    yield f"A sentence about the prediction {name} gives the answer away: {sentence}"


def bets_on_what_is_compared(each: Assignment) -> Iterator[str]:
    """A bet is on two variants of the `compare` below it."""
    cells = each.nb.cells
    for place, cell in enumerate(cells):
        if not (made := bet_in(cell.source)):
            continue
        below = cells[place + 1].source if place + 1 < len(cells) else ""
        compared = re.findall(r'"([^"]+)":', below)
        if not ("compare(" in below and {*variants(made)} <= {*compared} and ", None)" in cell.source):
            yield f"The bet {cell.id} needs None as its guess, and below it a `compare` of both variants."


def links_lead_somewhere(each: Assignment) -> Iterator[str]:
    yield from (
        f"The link to {link} leads nowhere." for link in links_of(prose(each.path)) if not leads(each.path, link)
    )


# What is our style.


def hints(each: Assignment) -> Iterator[str]:
    """Code has two folded hints above it. A prediction has one; the hint with its formula is in predictions.toml."""
    for place, cell in enumerate(each.nb.cells):
        if (name := cell.metadata.get("nbgrader", {}).get("grade_id")) in each.answers:
            found = re.findall(r"<details><summary>(Hint.*?)</summary>.+</details>", each.nb.cells[place - 1].source)
            if found != (["Hint 1", "Hint 2"] if is_code(cell) else ["Hint"]):
                yield f"The text above the answer {name} has other folded hints than Hint 1 and Hint 2, or one Hint."


def says_what_hidden_cases_look_at(each: Assignment) -> Iterator[str]:
    for cell in graded(each.nb):
        if about(cell, "cases") == "hidden" and not re.match(r"# Hidden cases look at .+\.\n###", cell.source):
            yield f"{cell.metadata.nbgrader.grade_id} begins with a comment, `# Hidden cases look at ... .`"


def announces_bets(each: Assignment) -> Iterator[str]:
    for place, cell in enumerate(each.nb.cells):
        if bet_in(cell.source) and not any("**A bet.**" in above.source for above in each.nb.cells[place - 3 : place]):
            yield f"The text above the bet {cell.id} has no **A bet.**"


TRUTH = (
    names_each_cell_once,
    is_filled_in,
    states_points_alike,
    asks_what_metadata_say,
    marks_each_answer,
    has_tasks_that_can_be_judged,
    uses_each_task,
    predicts_with_hint_and_mistakes,
    bets_on_what_is_compared,
    links_lead_somewhere,
)
HOUSE = (hints, says_what_hidden_cases_look_at, announces_bets)


def lint(course: Course, assignment: str = "") -> Iterator[str]:
    """The faults of an assignment, or of all assignments, each a sentence.

    An assignment without other faults is judged: its solutions must earn all points, and its skeletons none. Raises
    CourseError for an unknown assignment.
    """
    names = course.assignments()
    if assignment:
        course.solution(assignment)
    folder, house = Path(course.directory.root), Lint(parent=course.app).house_rules
    rules = [*TRUTH, *(rule for rule in HOUSE if rule.__name__ in house)]
    found: dict[str, list[str]] = {}
    shown: list[in_sight.Cell] = []
    for name in names:
        try:
            each = Assignment.read(course.notebook("source", name))
            nbformat.validate(each.nb)
            if not assignment or name == assignment:
                found[name] = [sentence for rule in rules for sentence in rule(each)]
            shown += cells_of(each)
        except (CourseError, OSError, ValueError, nbformat.ValidationError) as error:
            found[name] = [str(error).partition("\n")[0]]
    for asked, cell in in_sight.in_plain_sight(shown):
        if asked.notebook in found or cell.notebook in found:
            text = f"The cell {cell.name} of {cell.notebook} shows too much of the answer {asked.name}."
            found.setdefault(asked.notebook, []).append(text)
    clean = [name for name in names if name in found and not found[name]]
    yield from (f"{name}: {sentence}" for name, faults in found.items() for sentence in dict.fromkeys(faults))
    yield from question_faults(folder, clean)


def cells_of(each: Assignment) -> list[in_sight.Cell]:
    """The code of each cell, which in Markdown is between fences, with what students get of it."""
    skeleton, _ = ClearSolutions().preprocess(copy.deepcopy(each.nb), {})
    found = []
    for cell, released in zip(each.nb.cells, skeleton.cells, strict=True):
        fenced = "\n".join(FENCED.findall(released.source))
        both = (cell.source, released.source) if cell.cell_type == "code" else ("", fenced)
        found.append(in_sight.Cell(each.name, cell.id, *both))
    return found


def prose(page: Path) -> str:
    """The Markdown of a page or of a notebook, without its code."""
    text = page.read_text(encoding="utf-8")
    if page.suffix == ".ipynb":
        cells = nbformat.read(page, as_version=4).cells
        text = "\n\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
    return re.sub(r"^```.*?^```|`[^`\n]*`", "code", text, flags=re.MULTILINE | re.DOTALL)


def links_of(text: str) -> list[str]:
    """The targets of a page's links and pictures, in Markdown and in HTML."""
    return re.findall(r"""(?:\]\(|(?:href|src|srcset)=["'])([^)"']*)""", text)


def leads(page: Path, target: str) -> bool:
    """Whether a link of `page` is an address on the web, or leads to a file and a heading that exist."""
    address = urlsplit(target)
    if address.scheme or address.netloc:
        return re.fullmatch(r"https://[\w-]+(\.[\w-]+)+(/\S*)?", target) is not None
    file = page.parent / unquote(address.path) if address.path else page
    if not file.exists() or not address.fragment:
        return file.exists()
    titles = re.findall(r"^#+ (.+)", prose(file), re.MULTILINE)
    return address.fragment in {re.sub(r"[^\w -]", "", text).strip().lower().replace(" ", "-") for text in titles}
