"""JupyterLab in a real browser: what a student and an instructor press, and what they then see.

Chromium drives the real server; what it showed lies in build/screenshots/ afterwards.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, FrameLocator, Locator, Page, expect, sync_playwright

from autograder.classroom import ROOT, Classroom
from autograder.demo import make_mistakes

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
SCREENSHOTS = ROOT / "build" / "screenshots"
MOST_MS = 300_000  # for anything that is waited for: the slowest are cells that build and judge on a busy machine
WINDOW = {"width": 1280, "height": 1000}

LESSON, FIRST = "01-row-scaling", "00-first-kernel"
KERNEL = (
    "const int64_t e = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; "
    "if (e < M * N) { C[e] = A[e % N] * B[e]; }"  # the column's number where the row's belongs
)
LAUNCH = (
    "scale_rows_kernel<<<cdiv(M * N, kThreads), kThreads, 0, at::cuda::getCurrentCUDAStream()>>>("
    "A.data_ptr<float>(), B.data_ptr<float>(), C.data_ptr<float>(), M, N);"
)
CHECK = 'check("row_scaling", by_element.scale_rows, points=2)'
TRACE, TIMES = "traced_row.plot()", "result = compare("

# The contrast of each text in the outputs with what lies behind it, by the formula of WCAG 2.
CONTRASTS = """outputs => outputs.flatMap(output => {
    const channels = text => [...text.match(/[\\d.]+/g).map(Number), 1].slice(0, 4);
    const over = (above, below) => [0, 1, 2].map(i => above[i] * above[3] + below[i] * (1 - above[3]));
    const behind = element => element
        ? over(channels(getComputedStyle(element).backgroundColor), behind(element.parentElement)) : [255, 255, 255];
    const luminance = colour => colour
        .map(v => v <= 10 ? v / 3294 : ((v / 255 + 0.055) / 1.055) ** 2.4)
        .reduce((sum, v, i) => sum + [0.2126, 0.7152, 0.0722][i] * v, 0);
    const texts = document.createTreeWalker(output, NodeFilter.SHOW_TEXT), found = [];
    while (texts.nextNode()) {
        const text = texts.currentNode.data.trim(), element = texts.currentNode.parentElement, paper = behind(element);
        const both = [luminance(paper), luminance(over(channels(getComputedStyle(element).color), paper))];
        if (text) found.push([text, (Math.max(...both) + 0.05) / (Math.min(...both) + 0.05)]);
    }
    return found;
})"""
# What is wider than its place and cannot be scrolled to.
CUT_OFF = """outputs => outputs.flatMap(output => [output, ...output.querySelectorAll("*")])
    .filter(each => each.scrollWidth > each.clientWidth + 1 && getComputedStyle(each).overflowX == "hidden")
    .map(each => each.outerHTML.slice(0, 200))"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        missing = pytest.fail if os.environ.get("CI") else pytest.skip
        missing("Chromium is not installed: nothing is known here of what JupyterLab shows")
    expect.set_options(timeout=MOST_MS)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--disable-gpu"])
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def page(browser: Browser) -> Iterator[Page]:
    """An empty page; its end is kept as a screenshot, whatever the tests came to."""
    page = browser.new_page(viewport=WINDOW)
    page.set_default_timeout(MOST_MS)
    yield page
    page.screenshot(path=SCREENSHOTS / "end.png")


def photograph(what: Page | Locator, name: str) -> None:
    what.screenshot(path=SCREENSHOTS / f"{name}.png", animations="disabled")


def choose(page: Page, *path: str) -> None:
    """Click through JupyterLab's menus."""
    for name in path:
        page.locator(".lm-MenuBar-itemLabel, .lm-Menu-itemLabel").get_by_text(name, exact=True).click()


def assert_texts_stand_out(outputs: Locator) -> None:
    """WCAG's level AA; and there is text at all."""
    found = outputs.evaluate_all(CONTRASTS)
    assert found
    assert not [(text, contrast) for text, contrast in found if contrast < 4.5]


# A student


@pytest.fixture(scope="module")
def notebook(
    page: Page, jupyter_lab: Callable[[Path], AbstractContextManager[dict]], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Page]:
    """Notebook 01 of the students' bundle after Run All Cells, and then a wrong answer typed, run and checked."""
    packed = tmp_path_factory.mktemp("bundle")
    subprocess.run(["make", "-C", ROOT, "student-bundle", f"DIST={packed}"], check=True, capture_output=True)
    subprocess.run(["tar", "-xzf", next(packed.glob("*.tar.gz")), "-C", packed], check=True)
    folder = packed / "cuda-kernels-course"
    file = f"notebooks/{LESSON}/{LESSON}.ipynb"
    with jupyter_lab(folder) as server:
        page.goto(f"{server['url']}lab/tree/{file}?token={server['token']}")
        cells = json.loads((folder / file).read_text())["cells"]
        expect(page.locator(".jp-Notebook .jp-Cell")).to_have_count(len(cells))
        expect(page.locator(".jp-Notebook-ExecutionIndicator")).to_have_attribute("data-status", "idle")
        choose(page, "Run", "Run All Cells")
        numbers = page.locator(".jp-CodeCell .jp-InputPrompt").filter(has_text=re.compile(r"\[\d+\]:"))
        expect(numbers).to_have_count(sum(cell["cell_type"] == "code" for cell in cells))
        for line in (KERNEL, LAUNCH):
            type_over(page, "// YOUR CODE HERE", line)
        run_and_check(page)
        yield page


def cell(page: Page, text: str) -> Locator:
    return page.locator(".jp-CodeCell").filter(has_text=text)


def type_over(page: Page, old: str, new: str) -> None:
    """Type `new` in place of the first line of the answer that has the text `old`."""
    cell(page, "%%cuda by_element").locator(".cm-line").filter(has_text=old).first.click()
    page.keyboard.press("Home")
    page.keyboard.press("Shift+End")
    page.keyboard.type(new)


def run_and_check(page: Page) -> None:
    """Run the answer and its check, and wait until that has a new number."""
    prompt = cell(page, CHECK).locator(".jp-InputPrompt")
    before = prompt.inner_text()
    for text in ("%%cuda by_element", CHECK):
        cell(page, text).locator(".cm-line").first.click()
        page.keyboard.press("Shift+Enter")
    expect(prompt).not_to_have_text(before)
    expect(prompt).to_have_text(re.compile(r"\[\d+\]:"))


@pytest.mark.parametrize("theme", ["Light", "Dark"])
def test_what_a_student_sees_is_legible(notebook: Page, theme: str) -> None:
    choose(notebook, "Settings", "Theme", f"JupyterLab {theme}")
    expect(notebook.locator("body")).to_have_attribute("data-jp-theme-name", f"JupyterLab {theme}")
    mark = cell(notebook, CHECK).locator(".course-mark")
    expect(mark).to_contain_text("0 of 2 points.")
    expect(mark).to_contain_text("✗ Not right. 9 of 12 cases failed.")
    expect(mark).to_contain_text("Each column was scaled by A[column] instead of each row by A[row].")
    assert_texts_stand_out(notebook.locator(".jp-OutputArea-output"))
    figure = notebook.locator("figure")
    photograph(cell(notebook, CHECK), f"verdict-{theme.lower()}")
    for name, text in (("trace", TRACE), ("times", TIMES)):
        photograph(cell(notebook, text).locator(".jp-OutputArea-child").filter(has=figure), f"{name}-{theme.lower()}")


def test_every_figure_says_in_words_what_it_shows(notebook: Page) -> None:
    pictures = notebook.locator(".jp-OutputArea-output :is(img, svg, canvas)")
    words = [each.get_attribute("alt") or each.get_attribute("aria-label") or "" for each in pictures.all()]
    assert len(words) == 4
    assert all(len(each) > 50 for each in words)
    request = "One request of line 14, by a warp of block (0, 0, 0) of scale_rows_kernel."
    assert notebook.get_by_role("img", name=request).count() == 1
    times = "Bar chart: row_scaling, M = 4096, N = 4096, recorded on an NVIDIA H200."
    assert notebook.get_by_role("img", name=times).count() == 2


def test_at_200_percent_figures_grow_and_nothing_is_cut_off(notebook: Page) -> None:
    figure = notebook.locator("figure img").first
    width = figure.bounding_box()["width"]
    notebook.set_viewport_size({side: length // 2 for side, length in WINDOW.items()})  # what the zoom leaves of it
    notebook.keyboard.press("Control+b")  # the sidebar goes, as whoever reads at this size has it
    try:
        expect(notebook.locator("#jp-left-stack")).to_be_hidden()
        assert 2 * figure.bounding_box()["width"] > 1.5 * width
        assert not notebook.locator(".jp-OutputArea-output").evaluate_all(CUT_OFF)
        for name, text in (("verdict", CHECK), ("trace", TRACE)):
            cell(notebook, text).locator(".jp-OutputArea").scroll_into_view_if_needed()
            photograph(notebook, f"{name}-zoomed")
    finally:
        notebook.keyboard.press("Control+b")
        notebook.set_viewport_size(WINDOW)


def test_validate_gives_the_reasons(notebook: Page) -> None:
    notebook.get_by_role("button", name="Validate").click()
    dialog = notebook.locator(".nbgrader-ErrorDialog")
    expect(dialog).to_contain_text("0 of 1 points. Not answered yet.")
    expect(dialog).to_contain_text(
        "CourseError: 0 of 2 points. ✗ Not right: 9 of 12 cases failed. With M=257, N=255: 65280 of 65535 elements "
        "of the output are wrong."
    )
    photograph(notebook, "validate")
    dialog.get_by_role("button", name="Ok").click()


def test_a_mended_answer_gets_its_points(notebook: Page) -> None:
    type_over(notebook, "A[e % N]", KERNEL.replace("%", "/"))
    run_and_check(notebook)
    expect(cell(notebook, CHECK).locator(".course-mark")).to_contain_text("2 of 2 points.\n✓ Right. 12 cases passed.")


# An instructor


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> Classroom:
    """A course with one assignment, which is not released yet, and one submission, with mistakes."""
    folder = tmp_path_factory.mktemp("class")
    shutil.copytree(ROOT / "solutions" / FIRST, folder / "solutions" / FIRST)
    room = Classroom.anew(folder / "course", folder / "solutions")
    room.hand_in("mistakes", "solutions", make_mistakes)
    return room


@pytest.mark.usefixtures("bubblewrap")
def test_the_formgrader_releases_grades_and_writes_feedback(
    page: Page, jupyter_lab: Callable[[Path], AbstractContextManager[dict]], room: Classroom
) -> None:
    with jupyter_lab(room.folder) as server:
        page.goto(f"{server['url']}lab?token={server['token']}")
        choose(page, "Nbgrader", "Formgrader")
        desk = page.frame_locator("iframe")
        row = desk.locator("tr").filter(has_text=FIRST)
        press(desk, row, "assign", f"Successfully created the student version of '{FIRST}'")
        assert "BEGIN SOLUTION" not in (room.folder / "notebooks" / FIRST / f"{FIRST}.ipynb").read_text()
        row.locator(".num-submissions").get_by_role("link", name="1").click()
        row = desk.locator("tr").filter(has_text="mistakes")
        press(desk, row, "autograde", f"Successfully autograded '{FIRST}' for student 'mistakes'.")
        expect(row.locator(".score")).to_have_text("4 / 10")
        photograph(page, "formgrader")
        press(desk, row, "generate-feedback", f"Successfully generated feedback for '{FIRST}' for student 'mistakes'.")

        desk.get_by_role("link", name="Manual Grading").click()
        for link in (FIRST, FIRST, "Submission #1"):
            desk.locator("#main-table").get_by_role("link", name=link).click()
        expect(desk.locator(".course-mark").nth(1)).to_contain_text("✗ Not right. 7 of 10 cases failed.")
        assert_texts_stand_out(desk.locator(".course-mark"))
        desk.locator(".course-mark").nth(1).scroll_into_view_if_needed()
        photograph(page, "gradebook")

        feedback = f"grading/feedback/mistakes/{FIRST}/{FIRST}.html"
        page.goto(f"{server['url']}files/{feedback}?token={server['token']}")
        answered = page.locator(".code_cell").filter(has_text="00-axpy-check")
        expect(answered).to_contain_text("Score: 0.0 / 2.0")
        expect(answered.locator(".course-mark")).to_contain_text("✗ Not right.")
        assert_texts_stand_out(page.locator(".course-mark"))
        photograph(answered, "feedback")
    assert room.marks() == {("mistakes", FIRST): (4, 10)}


def press(desk: FrameLocator, row: Locator, button: str, message: str) -> None:
    """Press a button in a row of the formgrader's table, and close the dialog that says how it went."""
    row.locator(f".{button} a").click()
    dialog = desk.locator(".modal.in")
    expect(dialog).to_contain_text(message)
    dialog.get_by_role("button", name="OK").click()
    expect(desk.locator(".modal-backdrop")).to_have_count(0)
