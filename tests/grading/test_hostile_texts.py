"""What students write and what they are called is text, on every page, in every table, and in the terminal."""

from __future__ import annotations

import re
import unicodedata
from pathlib import Path
from types import SimpleNamespace

import pytest
from nbconvert.filters import markdown2html_mistune
from nbformat.notebooknode import NotebookNode
from nbformat.v4 import new_markdown_cell, new_notebook

from autograder import changes, report
from autograder.cells import answers_in
from autograder.page import Row, Table
from autograder.plugins.take_answers import with_answers

pytestmark = pytest.mark.quick


def asked(text: str) -> NotebookNode:
    about = {"grade_id": "q", "solution": True, "grade": True, "points": 1, "locked": False, "schema_version": 3}
    notebook = new_notebook(cells=[new_markdown_cell(text, metadata={"nbgrader": about})])
    notebook.metadata["course"] = {}
    return notebook


def taken(text: str) -> str:
    return answers_in(with_answers(asked("right"), asked(text), Path()))["q"].source


# nbgrader renders an answer in prose as Markdown, and keeps its HTML.
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


def test_no_cell_of_a_table_is_a_formula(tmp_path: Path) -> None:
    texts = ("=cmd|' /C calc'!A0", "+1", "-1+1", "@SUM(A1)", "\t=1", "-", "-0.5", "a=1", "")
    assert Table("t", ("",) * 9, [Row(texts)]).csv().splitlines()[1] == (
        "'=cmd|' /C calc'!A0,'+1,'-1+1,'@SUM(A1),'\t=1,-,-0.5,a=1,"
    )
    changed = [changes.Change("=1+1", "q", 0.5, 1.0), changes.Change("\x1b[2J", changes.LATE, -0.5, -1.0)]
    said = changes.listed(SimpleNamespace(folder=tmp_path), "first", changed, dry_run=True)
    (table,) = tmp_path.glob("changes/*.csv")
    assert table.read_text().splitlines()[1:] == ["'=1+1,q,0.5,1.0", "\x1b[2J,late work,-0.5,-1.0"]
    assert "  ?[2J late work: -0.5 to -1" in said and "\x1b" not in said


def test_a_projection_finds_a_name_in_either_form_of_its_letters() -> None:
    for form in ("NFC", "NFD"):
        text = unicodedata.normalize(form, "__global__ void gödel_kernel()")
        assert report._has_name(text, {unicodedata.normalize("NFD", "Gödel")})
        assert report._has_name(text, {"Gödel"}) and not report._has_name(text, {"Godel"})
