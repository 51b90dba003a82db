"""Adds two cells to a released notebook: a badge that opens it in Colab, and a cell that installs the course."""

from __future__ import annotations

import re
from pathlib import Path

from nbformat.notebooknode import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell
from nbgrader.coursedir import CourseDirectory
from nbgrader.preprocessors import NbGraderPreprocessor
from traitlets import Bool, Unicode

from course.errors import CourseError

BADGE = (
    "[![Open in Colab](https://colab.research.google.com/assets/colab-badge.svg)]"
    "(https://colab.research.google.com/github/{path}/blob/main/notebooks/{name}/{name}.ipynb)"
)
SOLVED = "\n[The same notebook with solutions]({repository}/blob/main/solutions/{name}/{name}.ipynb)"
INSTALL = """\
# Installs the course if it is missing, as in Colab. An installed course is not replaced.
import importlib.util

if importlib.util.find_spec("course") is None:
    %pip install -q git+{repository}"""
TASK = "\n![ -e {task} ] || curl -sSfLO https://raw.githubusercontent.com/{path}/main/notebooks/{name}/{task}"


def path_on_github(repository: str) -> str:
    """The part `OWNER/NAME` of a repository's address. Raises CourseError for an address that Colab cannot open."""
    match = re.fullmatch(r"https://github\.com/([\w.-]+/[\w.-]+?)(?:\.git)?/?", repository)
    if not match:
        raise CourseError(f"Colab cannot open REPOSITORY {repository}: write it as https://github.com/OWNER/NAME.")
    return match[1]


class StampRepository(NbGraderPreprocessor):
    """Puts two cells after the title of a released notebook, if the setting `repository` is not empty.

    With these cells, the notebook works without any other file.
    """

    repository = Unicode("", help="https://github.com/OWNER/NAME of the repository with the course's files").tag(
        config=True
    )
    solved = Bool(True, help="Whether the repository has the solutions too, so that the notebook links to them").tag(
        config=True
    )

    def preprocess(self, nb: NotebookNode, resources: dict) -> tuple[NotebookNode, dict]:
        """`nb`, with the two cells if `repository` is set."""
        if not self.repository:
            return nb, resources
        path, name = path_on_github(self.repository), resources["nbgrader"]["notebook"]
        words = {"path": path, "name": name, "repository": f"https://github.com/{path}"}
        course = CourseDirectory(config=self.config)
        source = course.format_path(course.source_directory, ".", resources["nbgrader"].get("assignment", name))
        tasks = "".join(TASK.format(**words, task=each.name) for each in sorted(Path(source).glob("*.py")))
        nb.cells[1:1] = [
            new_markdown_cell((BADGE + SOLVED * self.solved).format(**words), id="repository"),
            new_code_cell(INSTALL.format(**words) + tasks, id="install"),
        ]
        return nb, resources
