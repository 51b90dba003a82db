"""Makes a released notebook say how to install the course, or install it, and gives it a badge for Colab."""

import importlib.metadata
import re
from pathlib import Path

from nbformat.notebooknode import NotebookNode
from nbformat.v4 import new_markdown_cell
from nbgrader.coursedir import CourseDirectory
from nbgrader.preprocessors import NbGraderPreprocessor
from traitlets import Bool, Unicode

from course.errors import CourseError

BADGE = (
    "[![Open in Colab](https://colab.research.google.com/assets/colab-badge.svg)]"
    "(https://colab.research.google.com/github/{path}/blob/main/notebooks/{name}/{name}.ipynb)"
)
SOLVED = "[The same notebook with solutions](https://github.com/{path}/blob/main/solutions/{name}/{name}.ipynb)"
FIRST = "# Run this cell first, and again after each restart of the kernel.\nimport importlib.util\n"
MISSING = """
if not importlib.util.find_spec("course"):
    raise ImportError(
        "The course is not installed here: run `%pip install ADDRESS` in a cell, "
        "and then this cell again. ADDRESS is the folder of the course, which has "
        "pyproject.toml, or git+ and the address of its repository."
    )
"""
INSTALL = """import os

if not importlib.util.find_spec("course"):
    if not {{"COLAB_RELEASE_TAG", "KAGGLE_KERNEL_RUN_TYPE"}} & {{*os.environ}}:
        raise ImportError("The course is not installed here. Run this in a cell, and then this cell again: "
                          "%pip install {address}")
    print("Installing the course. Nothing that is here is replaced.")
    %pip install -q {address}
"""
TASK = "![ -e {task} ] || curl -sSfLO https://raw.githubusercontent.com/{path}/{tag}/notebooks/{name}/{task}\n"


def path_on_github(repository: str) -> str:
    """The part `OWNER/NAME` of a repository's address. Raises CourseError for an address that Colab cannot open."""
    match = re.fullmatch(r"https://github\.com/([\w.-]+/[\w.-]+?)(?:\.git)?/?", repository)
    if not match:
        raise CourseError(f"Colab cannot open REPOSITORY {repository}: write it as https://github.com/OWNER/NAME.")
    return match[1]


class StampRepository(NbGraderPreprocessor):
    """Lets the first code cell of a released notebook say how to install the course where it is missing.

    If the setting `repository` is not empty, the notebook works without any other file: the cell itself installs the
    course in Colab and Kaggle, and a badge under the title opens the notebook in Colab.
    """

    repository = Unicode("", help="https://github.com/OWNER/NAME of the repository with the course's files").tag(
        config=True
    )
    tag = Unicode(
        f"v{importlib.metadata.version('cuda-kernels-course')}",
        help="The tag or commit of the repository that is installed: by default v and the version of the course",
    ).tag(config=True)
    solved = Bool(True, help="Whether the repository has the solutions too, so that the notebook links to them").tag(
        config=True
    )

    def preprocess(self, nb: NotebookNode, resources: dict) -> tuple[NotebookNode, dict]:
        """`nb` with a longer first code cell, and with a badge and a link to the solutions if `repository` is set."""
        first = next(cell for cell in nb.cells if cell.cell_type == "code")
        if not self.repository:
            first.source = f"{FIRST}{MISSING}\n{first.source}"
            return nb, resources
        path, name = path_on_github(self.repository), resources["nbgrader"]["notebook"]
        words = {"path": path, "name": name, "tag": self.tag, "address": f"git+https://github.com/{path}@{self.tag}"}
        course = CourseDirectory(config=self.config)
        source = course.format_path(course.source_directory, ".", resources["nbgrader"].get("assignment", name))
        tasks = "".join(TASK.format(**words, task=each.name) for each in sorted(Path(source).glob("*.py")))
        first.source = f"{FIRST}{INSTALL.format(**words)}{tasks}\n{first.source}"
        nb.cells.insert(1, new_markdown_cell(BADGE.format(**words), id="repository"))
        if self.solved:
            nb.cells.append(new_markdown_cell(SOLVED.format(**words), id="solved"))
        return nb, resources
