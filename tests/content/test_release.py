"""What students get: generated from the solutions, complete, and without answers."""

from __future__ import annotations

import re

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook
from nbgrader import utils

from autograder.classroom import ROOT, Classroom
from autograder.plugins.clear_solutions import ClearSolutions
from autograder.plugins.stamp_repository import StampRepository
from autograder.plugins.tag_answers import TAG
from course.errors import CourseError

ASSIGNMENTS = Classroom(ROOT).assignments
STAMPS = ("repository", "solved")  # the cells of StampRepository
REGION = re.compile(r"BEGIN (?:SOLUTION|HIDDEN TESTS)\n(.*?)\n[^\n]*END (?:SOLUTION|HIDDEN TESTS)", re.DOTALL)


def solution(name: str) -> nbformat.NotebookNode:
    return Classroom(ROOT).read("solutions", name)


def cleared(source: str, solution_cell: bool = True) -> str:
    """The text of one cell after release."""
    tags = {"grade": False, "solution": solution_cell, "locked": False, "grade_id": "the-cell", "schema_version": 3}
    notebook = new_notebook(cells=[new_code_cell(source, metadata={"nbgrader": tags})])
    return ClearSolutions().preprocess(notebook, {})[0].cells[0].source


@pytest.mark.parametrize("name", ASSIGNMENTS)
def test_notebooks_are_what_release_makes_of_the_solutions(released_class: Classroom, name: str) -> None:
    released = ROOT / "notebooks" / name / f"{name}.ipynb"
    fresh = released_class.folder / "notebooks" / name / f"{name}.ipynb"
    same = released.read_bytes() == fresh.read_bytes()
    assert same, "run `make release` and commit notebooks/"


@pytest.mark.parametrize("name", ASSIGNMENTS)
def test_no_answer_and_no_hidden_test_is_released(released_class: Classroom, name: str) -> None:
    """Cell by cell, since a worked example elsewhere may show the same lines."""
    seen = 0
    of_students = [cell for cell in released_class.read("notebooks", name).cells if cell.id not in STAMPS]
    for cell, released in zip(solution(name).cells, of_students, strict=True):
        secrets = REGION.findall(cell.source)
        seen += len(secrets)
        assert not [secret for secret in secrets if secret in released.source]
        assert not re.search("(BEGIN|END) (SOLUTION|HIDDEN)", released.source)
    assert seen > 4


@pytest.mark.parametrize("name", ASSIGNMENTS)
def test_released_cells_have_no_outputs(released_class: Classroom, name: str) -> None:
    for cell in released_class.read("notebooks", name).cells:
        assert cell.get("outputs", []) == [] and cell.get("execution_count") is None


@pytest.mark.parametrize("name", ASSIGNMENTS)
def test_run_all_goes_on_after_an_error_in_an_answer_and_in_no_check(name: str) -> None:
    """No check has the tag. The tag does not affect a checksum, by which Validate tells whether a check was changed."""
    cells = [cell for cell in Classroom(ROOT).read("notebooks", name).cells if cell.cell_type == "code"]
    tagged = {cell.id for cell in cells if TAG in cell.metadata.get("tags", [])}
    assert {cell.id for cell in cells if utils.is_solution(cell)} <= tagged
    graded = [cell for cell in cells if utils.is_grade(cell)]
    assert graded and not [cell.id for cell in graded if cell.id in tagged]
    for cell in (cell for cell in cells if "nbgrader" in cell.metadata):
        assert cell.metadata.nbgrader.get("checksum") == utils.compute_checksum(cell), cell.id
        cell.metadata["tags"] = []
        assert cell.metadata.nbgrader.get("checksum") == utils.compute_checksum(cell), cell.id


def test_python_is_cleared_with_its_indentation() -> None:
    source = "def f(x):\n    y = 0\n    ### BEGIN SOLUTION\n    y = 2 * x\n    ### END SOLUTION\n    return y"
    assert cleared(source) == "def f(x):\n    y = 0\n    # YOUR CODE HERE\n    return y"


def test_a_python_body_that_was_all_solution_still_parses() -> None:
    source = "def f(x):\n    # BEGIN SOLUTION\n    return 2 * x\n    # END SOLUTION"
    assert cleared(source) == "def f(x):\n    # YOUR CODE HERE\n    pass"


def test_cuda_gets_a_cuda_comment() -> None:
    source = "%%cuda m\nvoid f() {\n    // BEGIN SOLUTION\n    g();\n    // END SOLUTION\n}"
    assert cleared(source) == "%%cuda m\nvoid f() {\n    // YOUR CODE HERE\n}"


def test_a_candidate_is_cleared_in_both_languages() -> None:
    kernel = "  // BEGIN SOLUTION\n  g();\n  // END SOLUTION"
    source = f'%%candidate m\ns = r"""\n{kernel}\n{kernel}\n"""\ndef f():\n  # BEGIN SOLUTION\n  h()\n  # END SOLUTION'
    stub = "  // YOUR CODE HERE"
    assert cleared(source) == f'%%candidate m\ns = r"""\n{stub}\n{stub}\n"""\ndef f():\n  # YOUR CODE HERE\n  pass'


@pytest.mark.parametrize(
    ("source", "complaint"),
    [
        ("x = 1", "needs BEGIN SOLUTION and END SOLUTION"),
        ("# BEGIN SOLUTION\nx = 1", "do not match"),
        ("x = 1\n# END SOLUTION", "do not match"),
        ("# BEGIN SOLUTION\n# BEGIN SOLUTION\nx = 1\n# END SOLUTION", "do not match"),
        ("# BEGIN SOLUTION\nx = 1\n// END SOLUTION", "do not match"),
        ("x = (\n# BEGIN SOLUTION\n1)\n# END SOLUTION", "not valid Python"),
    ],
)
def test_a_cell_that_cannot_be_cleared_is_an_error_that_names_it(source: str, complaint: str) -> None:
    with pytest.raises(CourseError, match=f"Cell the-cell: .*{complaint}"):
        cleared(source)


def test_a_solution_in_a_cell_that_is_no_answer_is_an_error() -> None:
    with pytest.raises(RuntimeError, match="non-solution cell"):
        cleared("# BEGIN SOLUTION\nx = 1\n# END SOLUTION", solution_cell=False)


def stamped(repository: str, **settings: bool) -> list[nbformat.NotebookNode]:
    """The cells of a small notebook that is released from `repository`."""
    notebook = new_notebook(cells=[new_markdown_cell("# Title", id="title"), new_code_cell("found = 1", id="one")])
    stamp = StampRepository(repository=repository, **settings)
    return stamp.preprocess(notebook, {"nbgrader": {"notebook": "01-rows"}})[0].cells


@pytest.mark.parametrize("ending", ["", "/", ".git"])
def test_a_stamped_notebook_opens_in_colab_and_ends_with_its_solutions(ending: str) -> None:
    title, badge, code, solved = stamped("https://github.com/owner/na.me" + ending)
    assert (title.id, code.id) == ("title", "one") and (badge.id, solved.id) == STAMPS
    assert "research.google.com/github/owner/na.me/blob/main/notebooks/01-rows/01-rows.ipynb)" in badge.source
    assert "](https://github.com/owner/na.me/blob/main/solutions/01-rows/01-rows.ipynb)" in solved.source


def test_a_repository_without_solutions_is_not_linked_for_them() -> None:
    cells = stamped("https://github.com/owner/name", solved=False)
    assert "colab" in cells[1].source and [cell.id for cell in cells] == ["title", "repository", "one"]


@pytest.mark.parametrize(
    ("place", "repository", "installed", "said"),
    [
        ("COLAB_RELEASE_TAG", "https://github.com/o/n", "-q git+https://github.com/o/n@v0.1.0", "found"),
        ("KAGGLE_KERNEL_RUN_TYPE", "https://github.com/o/n", "-q git+https://github.com/o/n@v0.1.0", "found"),
        ("ELSEWHERE", "https://github.com/o/n", "", "%pip install git+https://github.com/o/n@v0.1.0"),
        ("COLAB_RELEASE_TAG", "", "", "`%pip install ADDRESS` in a cell"),
    ],
)
def test_the_first_cell_without_the_course(
    place: str, repository: str, installed: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a shell in which the course is missing, and `%pip` only notes what it was to do."""
    from IPython.core.interactiveshell import InteractiveShell

    shell, asked = InteractiveShell(), []
    shell.register_magic_function(lambda line: asked.append(line), magic_name="pip")
    source = next(cell.source for cell in stamped(repository) if cell.id == "one")
    monkeypatch.setenv(place, "1")
    with monkeypatch.context() as missing:
        missing.setattr("importlib.util.find_spec", lambda name: None)
        result = shell.run_cell(source)
    assert asked == [f"install {installed}"] * bool(installed)
    assert said in str(result.error_in_exec or [*shell.user_ns])
    assert ("found" in shell.user_ns) == bool(installed)
    asked.clear()
    assert shell.run_cell(source).success and asked == []  # with the course


@pytest.mark.parametrize(
    "address", ["owner/name", "http://github.com/a/b", "https://example.org/a/b", 'https://github.com/a/b"']
)
def test_an_address_that_colab_cannot_open_is_refused(address: str) -> None:
    with pytest.raises(CourseError, match=r"https://github\.com/OWNER/NAME"):
        stamped(address)
