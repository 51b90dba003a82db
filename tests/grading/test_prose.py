"""An answer in prose is text on every page that shows it: nbgrader renders it as Markdown, and keeps its HTML."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from nbconvert.filters import markdown2html_mistune
from nbformat.notebooknode import NotebookNode
from nbformat.v4 import new_markdown_cell, new_notebook

from autograder.cells import answers_in
from autograder.plugins.take_answers import with_answers

pytestmark = pytest.mark.quick


def asked(text: str) -> NotebookNode:
    about = {"grade_id": "q", "solution": True, "grade": True, "points": 1, "locked": False, "schema_version": 3}
    notebook = new_notebook(cells=[new_markdown_cell(text, metadata={"nbgrader": about})])
    notebook.metadata["course"] = {}
    return notebook


def taken(text: str) -> str:
    return answers_in(with_answers(asked("right"), asked(text), Path()))["q"].source


@pytest.mark.parametrize(
    "text",
    [
        *("<script>alert(1)</script>", "a <img src=x onerror=alert(1)> b", "<STYLE>*{display:none}</STYLE>"),
        *("</div></div><h1>2 of 2</h1>", "<!-- from here on hidden", "<?x?>", "<svg/onload=alert(1)>", "- <b\n  x=y>"),
        *("[a](javascript:alert(1))", "![a](https://x.example/seen.png)", "[a]\n\n[a]: javascript:alert(1)"),
        *("[a][b]\n\n[b]:data:text/html,x", "<javascript:alert(1)>", r"$\href{javascript:alert(1)}{x}$"),
    ],
)
def test_an_answer_in_prose_is_neither_html_nor_a_hidden_link(text: str) -> None:
    html = markdown2html_mistune(taken(text))
    assert not re.search(r"<(?!/?(p|ul|li|em|a)>|a href=\"https:)", html) and r"\href" not in html, html


def test_an_answer_in_prose_keeps_its_words_and_its_form() -> None:
    text = "Each of the **32** lanes reads `A[i]`, since i < n && j<<2 > 0:\n\n1. one\n2. two\n\n$a_{ij} < b$"
    assert taken(text) == text
