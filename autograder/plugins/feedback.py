"""Changes nbgrader's feedback page for small screens, dark mode, print and screen readers."""

import hashlib
import json
import re
from collections.abc import Mapping
from html import escape
from pathlib import Path
from typing import Any

from nbconvert.exporters import HTMLExporter, TemplateExporter
from nbconvert.filters import Highlight2HTML
from nbconvert.filters.widgetsdatatypefilter import WidgetsDataTypeFilter
from nbformat.notebooknode import NotebookNode
from nbformat.v4 import new_markdown_cell
from nbgrader import utils
from nbgrader.api import Grade, Gradebook
from nbgrader.preprocessors import NbGraderPreprocessor

from autograder.cells import answers_in
from course.html import render

TEMPLATES = Path(__file__).parents[1] / "templates"
SENTENCES = 2  # paragraphs of a verdict that are above the notebook: what it asks, and what was found


class FeedbackPage(NbGraderPreprocessor):
    """Puts a table with the points and the verdict of each question before the notebook, and fixes the page's style.

    It changes only the copy of the notebook that becomes the page, after `GetGrades` and `CSSHTMLHeaderPreprocessor`.
    """

    def preprocess(self, nb: NotebookNode, resources: dict) -> tuple[NotebookNode, dict]:
        """The notebook and the resources of its page."""
        ids = resources["nbgrader"]
        with Gradebook(ids["db_url"]) as gradebook:
            notebook = gradebook.find_submission_notebook(ids["notebook"], ids["assignment"], ids["student"])
            given = {grade.name: text for grade in notebook.grades if (text := _given(grade))}
            waiting = {grade.name for grade in notebook.grades if _waits(grade)}
        cells = [cell for cell in nb.cells if utils.is_grade(cell)]
        for cell in cells:
            if text := given.get(cell.metadata.nbgrader.grade_id):
                _put_head(cell, text)
        graded = [cell.metadata.nbgrader for cell in cells]
        said = {cell.metadata.nbgrader.grade_id: _said(cell) for cell in cells}
        table = render("feedback_questions.html", TEMPLATES, cells=graded, given=given, said=said)
        nb.cells.insert(0, new_markdown_cell(f"# Points per question\n\n{table}"))
        scores = {cell.grade_id: None if cell.grade_id in waiting else cell.score for cell in graded}
        comments = {name: cell.metadata.nbgrader.comment for name, cell in answers_in(nb).items()}
        # nbgrader's template has no place for other elements of the page's head, so its style element is closed first.
        head = render("feedback_head.html", TEMPLATES, stamp=stamp(scores, comments, ids["late_penalty"]))
        resources["inlining"]["css"].append(head)
        return nb, resources


class PageExporter(HTMLExporter):
    """nbconvert's `HTMLExporter` without its last step, which parses the whole page again, in more time than the rest.

    That step adds texts to images that have none. It also lets the keyboard reach cells, but only those of other
    templates than nbgrader's.
    """

    def from_notebook_node(  # type: ignore[override]
        self, nb: NotebookNode, resources: dict | None = None, **options: object
    ) -> tuple[str, dict[str, Any]]:
        """The page, and the resources that it needs."""
        lexer = nb.metadata.get("language_info", {}).get("pygments_lexer")
        self.register_filter("highlight_code", Highlight2HTML(pygments_lexer=lexer, parent=self))
        shown = WidgetsDataTypeFilter(notebook_metadata=self._nb_metadata, parent=self, resources=resources)
        self.register_filter("filter_data_type", shown)
        return TemplateExporter.from_notebook_node(self, nb, resources, **options)


def stamp(scores: Mapping[str, float | None], comments: Mapping[str, str | None], penalty: float) -> str:
    """A hash of the content of a page: scores and comments by cell name, and points lost for late work.

    The score of an answer that waits for its first mark by hand is None.
    The hash is stored in the page's head.
    """
    shown = [scores, {name: comment for name, comment in comments.items() if comment}, float(penalty)]
    return hashlib.sha256(json.dumps(shown, sort_keys=True).encode()).hexdigest()


def _said(cell: NotebookNode) -> str:
    """The first paragraphs of the verdict on a question, as HTML; "" for a question without a verdict."""
    html = "".join(output.data["text/html"] for output in cell.get("outputs", []))
    # An empty line would end the table, and what follows it would be read as Markdown.
    return " ".join(" ".join(re.findall(r"<p>(.*?)</p>", html, re.DOTALL)[:SENTENCES]).split())


def _given(grade: Grade) -> str:
    """What an instructor gave by hand for a question, in sentences beside the automatic mark; "" for nothing."""
    if _waits(grade):
        return "Not marked yet: your instructor reads this answer."
    if grade.manual_score is None and not grade.extra_credit:
        return ""
    score, automatic = grade.manual_score, grade.auto_score
    points = f"{grade.max_score:g} point{'s' * (grade.max_score != 1)}"
    if score is None:
        text = f"{automatic or 0:g} of {points}."
    else:
        other = "" if automatic is None else f" (the automatic mark was {automatic:g})"
        text = f"Marked by hand: {score:g} of {points}{other}."
    return f"{text} Extra credit: {grade.extra_credit:g}." if grade.extra_credit else text


def _waits(grade: Grade) -> bool:
    return grade.needs_manual_grade and grade.manual_score is None


def _put_head(cell: NotebookNode, given: str) -> None:
    """Let the verdict on a question begin with what was given by hand. The page's style hides the automatic mark."""
    for output in cell.get("outputs", []):
        output.data["text/html"] = (
            f'<div class="course-given"><strong>{escape(given)}</strong></div>' + output.data["text/html"]
        )
