"""JupyterLab in a real browser: what a student and an instructor click, and what they then see.

Chromium uses the real server; afterwards, build/screenshots/ contains what it showed.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest
from nbconvert import HTMLExporter
from nbformat.notebooknode import NotebookNode
from playwright.sync_api import Browser, ConsoleMessage, Error, FrameLocator, Locator, Page, expect, sync_playwright

from autograder.classroom import ROOT, Classroom
from autograder.demo import make_mistakes

pytestmark = pytest.mark.slow
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
SCREENSHOTS = ROOT / "build" / "screenshots"
PAGE_MS = 120_000  # limit for the page's own work, on a busy machine
WORK_MS = 300_000  # limit for building and judging: cells, Validate, nbgrader's commands
EFFECT_MS = 20_000  # limit for a click to take effect, before the next attempt
WINDOW = {"width": 1280, "height": 1000}

EXTENSION = "cuda-kernels-course"  # in its messages and in its address
LESSON, FIRST = "01-row-scaling", "00-first-kernel"
KERNEL = (
    "const int64_t e = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; "
    "if (e < M * N) { C[e] = A[e % N] * B[e]; }"  # the column's index in place of the row's
)
LAUNCH = (
    "scale_rows_kernel<<<cdiv(M * N, kThreads), kThreads, 0, at::cuda::getCurrentCUDAStream()>>>("
    "A.data_ptr<float>(), B.data_ptr<float>(), C.data_ptr<float>(), M, N);"
)
CHECK = 'check("row_scaling_by_element", by_element.scale_rows, points=3)'
TRACE, TIMES = "traced_row.plot()", "result = compare("

# The contrast of each text in the outputs with its background, by the formula of WCAG 2.
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
# JupyterLab shows a kernel as idle before it has requested one, and silently drops cells that are run before it starts.
# Playwright waits for the promise, and evaluates this only once, whatever the result is.
KERNEL_ANSWERS = """async () => {
    const kernel = () => window.jupyterapp?.shell.currentWidget?.sessionContext?.session?.kernel;
    while (!kernel()) await new Promise(done => setTimeout(done, 50));
    return await kernel().info;
}"""
# Line marks as in outputs of another version of the course, or broken ones; then one good mark.
ODD_BUNDLES = """() => {
    const notebook = jupyterapp.shell.currentWidget.content, mime = "application/vnd.cuda-kernels-course+json";
    const from = notebook.widgets.map(cell => cell.model).filter(model => model.type === "code");
    const good = from.flatMap(model => model.outputs.toJSON()).map(output => output.data?.[mime])
        .find(data => data?.cell === "by_element" && data.line_marks.length);
    const marked = marks => ({...good, line_marks: marks});
    const odds = [{...good, version: 2}, marked(1), marked([null, {line: "1"}]), null, [], "x"];
    const cost = marked([{line: good.line_marks[0].line, text: "requests most", kind: "cost"}]);
    from.find(model => model.outputs.toJSON().some(output => output.data?.[mime] === good)).outputs.clear();
    for (const bundle of [...odds, cost])
        from[0].outputs.add({output_type: "display_data", metadata: {}, data: {[mime]: bundle}});
}"""
# Elements that are wider than their place, so that the rest is hidden and cannot be scrolled to.
CUT_OFF = """outputs => outputs.flatMap(output => [output, ...output.querySelectorAll("*")])
    .filter(each => each.scrollWidth > each.clientWidth + 1 && getComputedStyle(each).overflowX == "hidden")
    .map(each => each.outerHTML.slice(0, 200))"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        missing = pytest.fail if os.environ.get("CI") else pytest.skip
        missing("Chromium is not installed: nothing is known here of what JupyterLab shows")
    expect.set_options(timeout=PAGE_MS)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--disable-gpu"])
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def complaints() -> list[str]:
    """What the browser's console shows about the course's extension, including its uncaught errors."""
    return []


def is_complaint(said: ConsoleMessage) -> bool:
    """Whether the message is about the course's extension, and does not only say that its start took long."""
    slow = re.search(r"(taking too long|took [\d.]+ms) to activate", said.text)
    return not slow and EXTENSION in f"{said.text} {said.location['url']}"


@pytest.fixture(scope="module")
def page(browser: Browser, complaints: list[str]) -> Iterator[Page]:
    """An empty page. A screenshot of its last state is kept, whether the tests passed or not."""
    page = browser.new_page(viewport=WINDOW)
    page.set_default_timeout(PAGE_MS)
    page.on("pageerror", lambda error: complaints.append(str(error)) if EXTENSION in (error.stack or "") else None)
    page.on("console", lambda said: complaints.append(said.text) if is_complaint(said) else None)
    yield page
    page.screenshot(path=SCREENSHOTS / "end.png")


def photograph(what: Page | Locator, name: str) -> None:
    what.screenshot(path=SCREENSHOTS / f"{name}.png", animations="disabled")


@contextmanager
def says_what_it_saw(page: Page) -> Iterator[None]:
    """A failure says what the page showed, since nobody sees the screenshot in CI."""
    try:
        yield
    except (AssertionError, Error) as error:
        photograph(page, "failed")
        dialogs, prompts = (page.locator(name).all_inner_texts() for name in (".jp-Dialog", ".jp-InputPrompt"))
        kernel = page.locator("[data-status]").evaluate_all("all => all.map(each => each.dataset.status)")
        error.add_note(f"{page.url} with a kernel {kernel}, dialogs {dialogs}, cells {' '.join(filter(None, prompts))}")
        raise


def choose(page: Page, *path: str, effect: Callable[[float], None]) -> None:
    """Click through JupyterLab's menus until `effect`, which waits for the given number of ms, raises nothing.

    A page that is still loading closes its menus or ignores a click.
    """
    for patience in (EFFECT_MS, EFFECT_MS, PAGE_MS):
        try:
            for name in path:
                label = page.locator(".lm-MenuBar-itemLabel, .lm-Menu-itemLabel").get_by_text(name, exact=True)
                label.click(timeout=patience)
            return effect(patience)
        except (AssertionError, Error):
            if patience == PAGE_MS:
                raise
            for _ in path:
                page.keyboard.press("Escape")  # closes one menu


def assert_texts_stand_out(outputs: Locator) -> None:
    """There is text, and its contrast meets WCAG's level AA."""
    found = outputs.evaluate_all(CONTRASTS)
    assert found
    assert not [(text, contrast) for text, contrast in found if contrast < 4.5]


# A student


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The students' bundle, unpacked."""
    packed = tmp_path_factory.mktemp("bundle")
    subprocess.run(["make", "-C", ROOT, "student-bundle", f"DIST={packed}"], check=True, capture_output=True)
    subprocess.run(["tar", "-xzf", next(packed.glob("*.tar.gz")), "-C", packed], check=True)
    return packed / "cuda-kernels-course"


@pytest.fixture(scope="module")
def notebook(page: Page, jupyter_lab: Callable[[Path], AbstractContextManager[dict]], folder: Path) -> Iterator[Page]:
    """Notebook 01 of the students' bundle after Run All Cells, and then a wrong answer typed, run and checked."""
    file = f"notebooks/{LESSON}/{LESSON}.ipynb"
    with jupyter_lab(folder) as server:
        with says_what_it_saw(page):
            page.goto(f"{server['url']}lab/tree/{file}?token={server['token']}")
            cells = json.loads((folder / file).read_text())["cells"]
            expect(page.locator(".jp-Notebook .jp-Cell")).to_have_count(len(cells))
            page.wait_for_function(KERNEL_ANSWERS)
            prompts = page.locator(".jp-CodeCell .jp-InputPrompt")
            running, ran = (prompts.filter(has_text=re.compile(text)) for text in (r"\[\*\]:", r"\[\d+\]:"))
            some = expect(running.or_(ran))
            choose(page, "Run", "Run All Cells", effect=lambda ms: some.not_to_have_count(0, timeout=ms))
            expect(running).to_have_count(0, timeout=WORK_MS)  # also true if the kernel has ended
            shown = [cell for cell in cells if not cell["metadata"].get("jupyter", {}).get("source_hidden")]
            expect(ran).to_have_count(sum(cell["cell_type"] == "code" for cell in shown), timeout=EFFECT_MS)
            for line in (KERNEL, LAUNCH):
                type_over(page, "// YOUR CODE HERE", line)
            run_and_check(page)
        yield page


def cell(page: Page, text: str) -> Locator:
    return page.locator(".jp-CodeCell").filter(has_text=text)


def type_over(page: Page, old: str, new: str) -> None:
    """Type `new` over the first line of the answer that contains the text `old`."""
    cell(page, "%%cuda by_element").locator(".cm-line").filter(has_text=old).first.click()
    page.keyboard.press("Home")
    page.keyboard.press("Shift+End")
    page.keyboard.type(new)


def run_and_check(page: Page) -> None:
    """Run the answer and its check, and wait until the check has a new number."""
    for text in ("%%cuda by_element", CHECK):
        prompt = cell(page, text).locator(".jp-InputPrompt")
        before = prompt.inner_text()
        cell(page, text).locator(".cm-line").first.click()
        page.keyboard.press("Shift+Enter")
        expect(prompt).not_to_have_text(before)
        expect(prompt).to_have_text(re.compile(r"\[\d+\]:"), timeout=WORK_MS)


@pytest.mark.parametrize("theme", ["Light", "Dark"])
def test_what_a_student_sees_is_legible(notebook: Page, theme: str) -> None:
    there = expect(notebook.locator(f"body[data-jp-theme-name='JupyterLab {theme}']"))
    choose(notebook, "Settings", "Theme", f"JupyterLab {theme}", effect=lambda ms: there.to_have_count(1, timeout=ms))
    mark = cell(notebook, CHECK).locator(".course-mark")
    expect(mark).to_contain_text("0 of 3 points.")
    expect(mark).to_contain_text("✗ Not right. Each column was scaled by A[column] instead of each row by A[row].")
    expect(mark).to_contain_text("With M=257, N=255: 65,280 of 65,535 elements of the output are wrong.")
    expect(mark).to_contain_text("All cases: 3 of 15 passed")
    assert_texts_stand_out(notebook.locator(".jp-OutputArea-output"))
    figure = notebook.locator("figure")
    photograph(cell(notebook, CHECK), f"verdict-{theme.lower()}")
    for name, text in (("trace", TRACE), ("times", TIMES)):
        photograph(cell(notebook, text).locator(".jp-OutputArea-child").filter(has=figure), f"{name}-{theme.lower()}")
    inverted = "invert(0.9) hue-rotate(180deg)"
    expect(notebook.locator(".course-chart").first).to_have_css("filter", inverted if theme == "Dark" else "none")


def test_every_figure_says_in_words_what_it_shows(notebook: Page) -> None:
    shown = ".jp-OutputArea-output :is(img, svg, canvas):not(.course-explorer svg)"
    pictures = notebook.locator(shown).filter(visible=True)
    expect(pictures).to_have_count(3)
    words = [each.get_attribute("alt") or each.get_attribute("aria-label") or "" for each in pictures.all()]
    assert all(len(each) > 50 for each in words)
    expect(notebook.locator(".course-explorer").first.get_by_role("status")).to_contain_text("Point at a lane")
    expect(explore(notebook).locator("xpath=..").locator("details")).to_contain_text("One request of")
    times = "Dot chart with a logarithmic axis: row_scaling, M = 4096, N = 4096, recorded on an NVIDIA H200."
    assert notebook.get_by_role("img", name=times).count() == 2


def test_at_200_percent_figures_grow_and_nothing_is_cut_off(notebook: Page) -> None:
    figure = notebook.locator("figure svg").filter(visible=True).first
    width = figure.bounding_box()["width"]
    notebook.set_viewport_size({side: length // 2 for side, length in WINDOW.items()})  # the size that the zoom leaves
    notebook.evaluate("jupyterapp.shell.collapseLeft()")  # a reader at this size hides the sidebar
    try:
        expect(notebook.locator("#jp-left-stack")).to_be_hidden()
        grown = f"figure => 2 * figure.getBoundingClientRect().width > 1.3 * {width}"
        notebook.wait_for_function(grown, arg=figure.element_handle())
        assert not notebook.locator(".jp-OutputArea-output").evaluate_all(CUT_OFF)
        assert_figures_fit(notebook)
        for name, text in (("verdict", CHECK), ("trace", TRACE)):
            cell(notebook, text).locator(".jp-OutputArea").scroll_into_view_if_needed()
            photograph(notebook, f"{name}-zoomed")
        notebook.evaluate("jupyterapp.shell.expandLeft()")
        notebook.set_viewport_size({**WINDOW, "width": 800})
        expect(notebook.locator("#jp-left-stack")).to_be_visible()
        assert_figures_fit(notebook)
    finally:
        notebook.evaluate("jupyterapp.shell.expandLeft()")
        notebook.set_viewport_size(WINDOW)


def assert_figures_fit(page: Page) -> None:
    """No figure has lanes or times that must be scrolled to."""
    page.wait_for_function("() => [...document.querySelectorAll('figure')].every(f => f.scrollWidth <= f.clientWidth)")


def test_validate_gives_the_reasons(notebook: Page) -> None:
    notebook.get_by_role("button", name="Validate").click()
    dialog = notebook.locator(".nbgrader-ErrorDialog")
    expect(dialog).to_contain_text("0 of 1 point. Not answered yet.", timeout=WORK_MS)
    expect(dialog).to_contain_text(
        "CourseError: 0 of 3 points. ✗ Not right: 12 of 15 cases failed. Each column was scaled by A[column] instead "
        "of each row by A[row]."
    )
    photograph(notebook, "validate")
    dialog.get_by_role("button", name="Ok").click()


def test_a_corrected_answer_gets_its_points(notebook: Page) -> None:
    type_over(notebook, "A[e % N]", KERNEL.replace("%", "/"))
    run_and_check(notebook)
    expect(cell(notebook, CHECK).locator(".course-mark")).to_contain_text("3 of 3 points.\n✓ Right. 15 cases passed.")


def marks(page: Page) -> Locator:
    return cell(page, "%%cuda by_element").locator(".course-mark-line")


def test_the_editor_of_a_cuda_cell_is_for_cpp(notebook: Page) -> None:
    cell(notebook, CHECK).locator(".jp-InputPrompt").click()
    notebook.keyboard.press("b")
    notebook.keyboard.press("Enter")
    for line in (
        "%%cuda typed",
        "#include <torch/extension.h>",
        "torch::Tensor same(torch::Tensor A) {",
        "// try float",
    ):
        notebook.keyboard.type(line)
        notebook.keyboard.press("Enter")
    notebook.keyboard.type("const int N = A.size(0);")
    notebook.keyboard.press("Enter")
    notebook.keyboard.type("launch<<<N, 1>>>(N);")
    notebook.keyboard.press("Control+/")
    typed = cell(notebook, "%%cuda typed")
    lines = typed.locator(".cm-content .cm-line")
    expect(typed.locator(".cm-lineNumbers")).to_have_count(1)
    expect(typed.locator(".course-type")).to_have_text(["int"])
    expect(typed.locator(".course-launch")).to_have_count(0)  # a comment has none
    assert lines.nth(3).locator("span").all_inner_texts() == ["// try float"]  # in one colour
    assert lines.nth(5).inner_text() == "    // launch<<<N, 1>>>(N);"
    notebook.keyboard.press("Control+/")
    expect(typed.locator(".course-launch").first).to_contain_text("<<<")
    notebook.keyboard.press("End")
    notebook.keyboard.type(" }")
    notebook.keyboard.press("Shift+Enter")
    fault = typed.locator(".course-mark-fault")
    expect(fault).to_have_text(["    launch<<<N, 1>>>(N); }"], timeout=WORK_MS)
    assert "launch" in fault.get_attribute("title")
    photograph(typed, "compile-error-marked")
    lines.nth(5).click()
    notebook.keyboard.press("Home")
    notebook.keyboard.press("Shift+End")
    notebook.keyboard.type("return A; }")
    notebook.keyboard.press("Shift+Enter")
    expect(typed).to_contain_text("typed is built", timeout=WORK_MS)
    expect(fault).to_have_count(0)


def test_a_hazard_is_marked_in_the_editor_until_the_cell_is_right(notebook: Page, complaints: list[str]) -> None:
    type_over(notebook, "C[e] = A[", KERNEL.replace("%", "/").replace("M * N", "M * N + 1"))
    run_and_check(notebook)
    found = [re.compile("M \\* N \\+ 1")]
    expect(marks(notebook)).to_have_text(found)
    assert "past the end" in marks(notebook).get_attribute("title")
    for theme in ("Light", "Dark"):
        there = expect(notebook.locator(f"body[data-jp-theme-name='JupyterLab {theme}']"))
        choose(
            notebook,
            "Settings",
            "Theme",
            f"JupyterLab {theme}",
            effect=lambda ms, to=there: to.to_have_count(1, timeout=ms),
        )
        photograph(cell(notebook, "%%cuda by_element"), f"hazard-marked-{theme.lower()}")
    notebook.keyboard.press("Control+s")
    notebook.wait_for_function("() => !jupyterapp.shell.currentWidget.context.model.dirty")
    lab = notebook.url
    notebook.goto(re.sub("/lab/.*?/?tree/", "/notebooks/", lab))
    expect(notebook.locator("body")).to_have_attribute("data-notebook", "notebooks")  # Notebook 7, and not JupyterLab
    expect(marks(notebook)).to_have_text(found)
    notebook.goto(lab)
    expect(marks(notebook)).to_have_text(found)
    notebook.wait_for_function(KERNEL_ANSWERS)
    restarted = notebook.locator(".jp-Dialog .jp-mod-accept")
    choose(notebook, "Kernel", "Restart Kernel…", effect=lambda ms: restarted.click(timeout=ms))
    expect(restarted).to_have_count(0)
    notebook.wait_for_function(KERNEL_ANSWERS)
    expect(marks(notebook)).to_have_text(found)
    expect(cell(notebook, "%%cuda by_element").locator(".course-qualifier").first).to_have_text("__global__")

    notebook.evaluate(ODD_BUNDLES)
    by_row = re.compile(r"C\[i \* N \+ j\] = ")  # the notebook's own trace shows that this line wastes sectors
    expect(notebook.locator(".course-mark-cost")).to_have_text([by_row, *found])
    assert marks(notebook).get_attribute("title") == "requests most"
    photograph(cell(notebook, "%%cuda by_element"), "cost-marked")
    cell(notebook, "gpu = start()").locator(".cm-line").first.click()
    notebook.keyboard.press("Shift+Enter")
    run_and_check(notebook)
    expect(marks(notebook)).to_have_text(found)
    type_over(notebook, "M * N + 1", KERNEL.replace("%", "/"))
    run_and_check(notebook)
    expect(marks(notebook)).to_have_count(0)
    assert not complaints


def explore(page: Page) -> Locator:
    """The first figure that can be explored, after its second lane was selected with the keyboard."""
    explored = page.locator(".course-explorer").first
    explored.scroll_into_view_if_needed()
    explored.get_by_role("img", name="lane 0", exact=True).focus()
    page.keyboard.press("ArrowRight")
    expect(explored.get_by_role("status")).to_contain_text("Lane 1, thread (1, 0, 0)")
    return explored


def test_a_figure_is_explored_after_reopening_and_in_the_html_of_nbconvert(notebook: Page, folder: Path) -> None:
    """The test above saved, closed and reopened the notebook, as the user who made its outputs."""
    explore(notebook)
    file = folder / "notebooks" / LESSON / f"{LESSON}.ipynb"

    html = file.with_suffix(".html")
    html.write_text(HTMLExporter(theme="dark").from_filename(str(file))[0])
    exported = notebook.context.browser.new_page(viewport={"width": 700, "height": 680}, color_scheme="dark")
    exported.set_default_timeout(PAGE_MS)
    said: list[str] = []
    exported.on("pageerror", lambda error: said.append(str(error)))
    exported.route("http*://**", lambda route: route.abort())  # nbconvert's page asks for MathJax
    exported.goto(html.as_uri(), wait_until="domcontentloaded")
    shown = explore(exported).locator("xpath=..")
    exported.evaluate("scrollBy(0, -80)")
    photograph(exported, "explorer-html-dark")
    shown.locator("summary").click()
    assert shown.locator("details svg").bounding_box()["width"] > 500
    photograph(shown, "explorer-html-picture-dark")
    assert not [each for each in said if "explorer" in each]
    exported.close()


def test_where_scripts_do_not_run_a_figure_is_a_picture(notebook: Page, folder: Path) -> None:
    notebook.evaluate("void jupyterapp.commands.execute('docmanager:save')")
    notebook.wait_for_function("() => !jupyterapp.shell.currentWidget.context.model.dirty")
    file = folder / "notebooks" / LESSON / f"{LESSON}.ipynb"
    sent = json.loads(file.read_text())
    sent["cells"] = [each for each in sent["cells"] if TRACE in "".join(each["source"])]
    file.with_name("sent.ipynb").write_text(json.dumps(sent))  # not trusted, since its outputs were not made here
    with says_what_it_saw(notebook):
        # A new address would also restore the tab of the other notebook, in front of this one.
        path = str(file.with_name("sent.ipynb").relative_to(folder))
        notebook.evaluate("path => void jupyterapp.commands.execute('docmanager:open', {path})", path)
        shown = notebook.locator(".jp-NotebookPanel").filter(visible=True)
        expect(shown.locator(".jp-Cell")).to_have_count(1)
        image = shown.locator("figure img")
        expect(image).to_be_visible()
        assert image.bounding_box()["width"] > 500
        assert len(image.get_attribute("alt")) > 50
        expect(shown.locator(".course-explorer, figure script")).to_have_count(0)
        photograph(shown, "explorer-untrusted")


# An instructor


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> Classroom:
    """A course with one assignment, which is not released yet, and one submission with mistakes."""
    folder = tmp_path_factory.mktemp("class")
    shutil.copytree(ROOT / "solutions" / FIRST, folder / "solutions" / FIRST)
    room = Classroom.anew(folder / "course", folder / "solutions")
    room.hand_in("mistakes", "solutions", make_drawn_mistakes)
    return room


def make_drawn_mistakes(assignment: str, notebook: NotebookNode) -> None:
    """The mistakes of the demo, but with another one in `s * A + B`, for which the verdict has a figure."""
    make_mistakes(assignment, notebook)
    (answer,) = (cell for cell in notebook.cells if cell.metadata.get("nbgrader", {}).get("grade_id") == "00-axpy")
    assert "s * (A[i] + B[i])" in answer.source and "(i < N)" in answer.source
    answer.source = answer.source.replace("s * (A[i] + B[i])", "s * A[i] + B[i]").replace("(i < N)", "(i < N - 1)")


@pytest.mark.usefixtures("bubblewrap")
def test_the_formgrader_releases_grades_and_writes_feedback(
    page: Page, jupyter_lab: Callable[[Path], AbstractContextManager[dict]], room: Classroom
) -> None:
    with jupyter_lab(room.folder) as server, says_what_it_saw(page):
        page.goto(f"{server['url']}lab?token={server['token']}")
        desk = page.frame_locator("iframe")
        row = desk.locator("tr").filter(has_text=FIRST)
        choose(page, "Nbgrader", "Formgrader", effect=lambda ms: row.wait_for(timeout=ms))
        press(desk, row, "assign", f"Successfully created the student version of '{FIRST}'")
        assert "BEGIN SOLUTION" not in (room.folder / "notebooks" / FIRST / f"{FIRST}.ipynb").read_text()
        row.locator(".num-submissions").get_by_role("link", name="1").click()
        row = desk.locator("tr").filter(has_text="mistakes")
        press(desk, row, "autograde", f"Successfully autograded '{FIRST}' for student 'mistakes'.")
        expect(row.locator(".score")).to_have_text("3 / 8")
        photograph(page, "formgrader")
        press(desk, row, "generate-feedback", f"Successfully generated feedback for '{FIRST}' for student 'mistakes'.")

        desk.get_by_role("link", name="Manual Grading").click()
        where = ["Manual Grading"]
        for link in (FIRST, FIRST, "Submission #1"):  # two pages have the first link, so it is followed twice
            expect(desk.locator(".breadcrumb li")).to_have_text(where)
            where.append(link)
            desk.locator("#main-table").get_by_role("link", name=link).click()
        added = desk.locator(".course-mark").filter(has_text=re.compile(r"All cases: \d+ of 11 passed"))
        expect(added).to_have_count(1)
        assert_texts_stand_out(desk.locator(".course-mark"))
        added.scroll_into_view_if_needed()
        photograph(page, "gradebook")

        feedback = f"grading/feedback/mistakes/{FIRST}/{FIRST}.html"
        page.goto(f"{server['url']}files/{feedback}?token={server['token']}")
        answered = page.locator(".code_cell").filter(has_text="00-axpy-check")
        expect(answered).to_be_hidden()
        page.get_by_label("Show the notebook").check()
        expect(answered).to_be_visible()
        page.get_by_label("Show the notebook").uncheck()
        page.locator(".course-questions").get_by_role("link", name="00-axpy-check").click()
        expect(answered).to_contain_text("Score: 0.0 / 2.0")
        expect(answered.locator(".course-mark")).to_contain_text("✗ Not right.")
        assert_texts_stand_out(page.locator(".course-mark"))
        answered.locator("summary").first.click()
        for scheme in ("dark", "light"):
            page.emulate_media(color_scheme=scheme)
            assert_is_drawn(answered.locator("figure"))
            photograph(answered, "feedback" if scheme == "light" else "feedback-dark")
    assert room.marks() == {("mistakes", FIRST): (3, 8)}


def assert_is_drawn(figure: Locator) -> None:
    """A verdict's figure is visible, and has the colour of its text, which stands out."""
    drawing = figure.locator("svg")
    expect(drawing).to_be_visible()
    assert drawing.bounding_box()["width"] > 100
    assert drawing.get_attribute("aria-label") == figure.locator("figcaption").inner_text()
    colours = figure.evaluate("""figure => [
        getComputedStyle(figure.querySelector("figcaption")).color,
        ...[...figure.querySelectorAll("svg path")].map(path => getComputedStyle(path).color),
    ]""")
    assert len(colours) > 2 and len(set(colours)) == 1
    assert_texts_stand_out(figure)


def press(desk: FrameLocator, row: Locator, button: str, message: str) -> None:
    """Click a button in a row of the formgrader's table, and close the dialog that shows the result."""
    row.locator(f".{button} a").click()
    dialog = desk.locator(".modal.in")
    expect(dialog).to_contain_text(message, timeout=WORK_MS)
    dialog.get_by_role("button", name="OK").click()
    expect(desk.locator(".modal-backdrop")).to_have_count(0)
