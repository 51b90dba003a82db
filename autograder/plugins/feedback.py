"""Changes nbgrader's feedback page for small screens, dark mode, print and screen readers."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from html import escape

from nbformat.notebooknode import NotebookNode
from nbformat.v4 import new_markdown_cell
from nbgrader import utils
from nbgrader.api import Grade, Gradebook
from nbgrader.preprocessors import NbGraderPreprocessor

# nbgrader's template has no place for other elements of the page's head, so its style element is closed and reopened.
HEAD = """</style>
<meta name="viewport" content="width=device-width, initial-scale=1">
<script>document.documentElement.lang = "en"</script>
<style>
.course-mark, .course-questions { overflow-x: auto; }
.course-mark { overflow-wrap: anywhere; margin-bottom: 1em; }
.rendered_html th, .rendered_html td { padding: .2em .8em; text-align: left; border-bottom: 1px solid #8888; }
pre { overflow-x: auto; background: white; }
a:link { text-decoration: underline; }
div.nbgrader_cell .panel-heading span a { color: inherit; }
/* not useful here: numbers of cells that were not run, links of headings, nbgrader's list of cells without names */
div.prompt, a.anchor-link, #toc li:has(a:not([href^="#comment"])) { display: none; }
#toc ol { list-style: none; padding: 0; }
summary { display: list-item; cursor: pointer; }
@media (max-width: 50em) {
  .container, .panel-body { width: auto; min-width: 0; padding: .3em; }
  div.nbgrader_cell .panel-heading { height: auto; overflow: hidden; }
}
@media (prefers-color-scheme: dark) {  /* inverts all colours of the page, except in pictures */
  html { background: white; filter: invert(1) hue-rotate(180deg); }
  img { filter: invert(1) hue-rotate(180deg); }
}
@media print {  /* shows folded text */
  details::details-content { content-visibility: visible; display: block; }
}
"""


class FeedbackPage(NbGraderPreprocessor):
    """Puts a table with the points of each question before the notebook, and fixes the page's style.

    It changes only the copy of the notebook that becomes the page, after `GetGrades` and `CSSHTMLHeaderPreprocessor`.
    """

    def preprocess(self, nb: NotebookNode, resources: dict) -> tuple[NotebookNode, dict]:
        """The notebook and the resources of its page."""
        ids = resources["nbgrader"]
        with Gradebook(ids["db_url"]) as gradebook:
            notebook = gradebook.find_submission_notebook(ids["notebook"], ids["assignment"], ids["student"])
            given = {grade.name: text for grade in notebook.grades if (text := _given(grade))}
        for cell in filter(utils.is_grade, nb.cells):
            if text := given.get(cell.metadata.nbgrader.grade_id):
                _put_head(cell, text)
        rows = "".join(_row(cell, given) for cell in nb.cells if utils.is_grade(cell))
        heads = "".join(f'<th scope="col">{head}</th>' for head in ("question", "points", "result"))
        table = f'<table class="course-questions"><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>'
        nb.cells.insert(0, new_markdown_cell(f"# Points per question\n\n{table}"))
        graded = [cell.metadata.nbgrader for cell in nb.cells if utils.is_grade(cell)]
        answers = [cell.metadata.nbgrader for cell in nb.cells if utils.is_solution(cell)]
        scores = {cell.grade_id: cell.score for cell in graded}
        comments = {cell.grade_id: cell.comment for cell in answers}
        penalty = ids["late_penalty"]
        mark = f'<meta name="course-marks" content="{stamp(scores, comments, penalty)}">'
        resources["inlining"]["css"] += [HEAD, f"</style>{mark}<style>"]
        return nb, resources


def stamp(scores: Mapping[str, float], comments: Mapping[str, str | None], penalty: float) -> str:
    """A hash of the content of a page: scores and comments by cell name, and points lost for late work.

    The hash is stored in the page's head.
    """
    shown = [scores, {name: comment for name, comment in comments.items() if comment}, float(penalty)]
    return hashlib.sha256(json.dumps(shown, sort_keys=True).encode()).hexdigest()


def _given(grade: Grade) -> str:
    """What an instructor gave by hand for a question, in sentences beside the automatic mark; "" for nothing."""
    if grade.manual_score is None and not grade.extra_credit:
        return ""
    score, automatic = grade.manual_score, grade.auto_score
    if score is None:
        text = f"{automatic or 0:g} of {grade.max_score:g} points."
    else:
        other = "" if automatic is None else f" (the automatic mark was {automatic:g})"
        text = f"Marked by hand: {score:g} of {grade.max_score:g} points{other}."
    return f"{text} Extra credit: {grade.extra_credit:g}." if grade.extra_credit else text


def _put_head(cell: NotebookNode, given: str) -> None:
    """Let the verdict on a question begin with what was given by hand, not with the automatic mark."""
    head = f"<strong>{escape(given)} </strong>"
    for output in cell.get("outputs", []):
        output.data["text/html"] = re.sub("<strong>.*?</strong>", head, output.data["text/html"], count=1)


def _row(cell: NotebookNode, given: Mapping[str, str]) -> str:
    name, score, points = (cell.metadata.nbgrader[key] for key in ("grade_id", "score", "points"))
    result = "✓ all points" if score >= points else "some points" if score else "✗ no points"
    link = f'<a href="#{escape(name)}">{escape(name)}</a>'
    result = escape(given.get(name, result))
    return f'<tr><th scope="row">{link}</th><td>{score:g} of {points:g}</td><td>{result}</td></tr>'
