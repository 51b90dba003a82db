"""`make book`: the first page and the beginning of notebook 00, as a visitor sees them in Chromium."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote, urlsplit

import nbformat
import pytest
from playwright.sync_api import sync_playwright

from autograder.classroom import ROOT, Classroom

NAME, LAST = "00-first-kernel", "00-add-check"
TARGETS = re.compile(r'(?:href|src)="([^"]+)"')


def dead_links(book: Path) -> list[tuple[str, str]]:
    """The links of all pages that lead to no file of the book, or to no place in it."""
    pages = {page.name: page.read_text() for page in book.glob("*.html")}
    dead = []
    for name, text in pages.items():
        for target in TARGETS.findall(text):
            url = urlsplit(target)
            if url.scheme:
                continue
            file = unquote(url.path) or name
            found = (book / file).is_file() and (not url.fragment or f'id="{url.fragment}"' in pages.get(file, ""))
            if not found:
                dead.append((name, target))
    return dead


@pytest.mark.slow
def test_the_book_shows_a_verdict_and_a_live_picture_and_judges_no_unanswered_cell(tmp_path: Path) -> None:
    pages, book = tmp_path / "pages", tmp_path / "book"
    shutil.copytree(ROOT / "docs" / "book", pages)
    notebook = Classroom(ROOT).read("notebooks", NAME)
    names = [cell.metadata.get("nbgrader", {}).get("grade_id") for cell in notebook.cells]
    notebook.cells = notebook.cells[: names.index(LAST) + 1]
    nbformat.write(notebook, pages / f"{NAME}.ipynb")
    subprocess.run([sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", pages, book], check=True)

    first, second = ((book / f"{name}.html").read_text() for name in ("index", NAME))
    assert first.index("0 of 1 point.") < first.index("1 of 1 point.") < first.index("data-explorer")
    assert "YOUR CODE HERE" in second and "same as PyTorch: True" in second
    assert not re.search(r"\d of \d points?", second)
    assert "highlight-cuda" in second
    assert not dead_links(book)
    path = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if path is None:
        pytest.skip("Chromium is not installed")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--disable-gpu"])
        shades = {}
        for scheme in ("light", "dark"):
            page = browser.new_page(viewport={"width": 390, "height": 800}, color_scheme=scheme)
            page.goto((book / "index.html").as_uri())
            shades[scheme] = page.evaluate("getComputedStyle(document.body).backgroundColor")
            assert page.evaluate("document.documentElement.scrollWidth") == 390
            page.get_by_text("stores C").first.wait_for()
            page.get_by_role("button", name="Next").click()
            page.get_by_text("loads A").first.wait_for()
        assert shades["light"] != shades["dark"]
        page.goto((book / "search.html").as_uri() + "?q=transpose")
        page.locator("#search-results a").first.wait_for()
        browser.close()
