"""Figures that can be explored: their data and size, what they contain of a student's text, and how a browser shows
them.
"""

import json
import os
import re
import shutil
from urllib.parse import unquote

import pytest
import torch

from course.notebook.trace import trace
from tests.kernels import kernel
from tests.notebook.answers import function

pytestmark = pytest.mark.usefixtures("emulated")

REVERSE = kernel("notebook/reverse")
HOSTILE = 'tile[threadIdx.x] = A[threadIdx.x]; // </script><!--<script><img src=x onerror="document.title=1">'


def traced(source, *tensors):
    return trace(function(source, "reverse"), *(tensors or (torch.randn(64),)))


def data_of(figure):
    """The argument with which a figure's script is called."""
    return json.loads(re.search(r'\)\("\w+", (\{.*\})\)$', figure.script)[1])


@pytest.fixture(scope="module")
def reversed_():
    return traced(REVERSE)


def test_each_form_of_request_is_there_once_and_says_what_the_picture_says(reversed_):
    found = reversed_.plot()
    first, second = data_of(found)["steps"]
    assert data_of(found)["first"] == 1  # the explorer begins with the request that wastes most
    assert first["heading"] == "Line 6 loads A: 32 lanes of 4 bytes, 4 sectors."
    assert second["heading"] == "Line 8 stores C: 32 lanes of 4 bytes, 16 sectors; 4 would be enough."
    for step in (first, second):
        assert step["heading"] in found.alt and step["cost"] in found.alt
        assert REVERSE.splitlines()[step["line"] - 1].strip() == step["code"]
        assert step["times"] == "Warp 0 makes one such request."
    lane, thread, element, *_, text = first["lanes"][9]
    assert (lane, thread, element) == (9, "9, 0, 0", "A[9]")
    assert first["texts"][text] == "sector 1, bytes 32 to 63, one sector for lanes 8 to 15."
    assert second["texts"][second["lanes"][9][-1]] == "sector 4, bytes 128 to 159, one sector for lanes 8, 9."


def test_threads_are_those_of_the_block_s_shape_and_alike_requests_are_one_step():
    deep = REVERSE.replace("threadIdx.x", "(threadIdx.x + 8 * threadIdx.y)")
    deep = re.sub(r"<<<(.*?), *64", r"<<<\1, dim3(8, 8)", deep)
    loop = "for (int k = 0; k < 5; ++k) tile[(threadIdx.x + 8 * threadIdx.y)] = A[(threadIdx.x + 8 * threadIdx.y)] + k;"
    deep = re.sub(r"tile\[\(threadIdx.x \+ 8 \* threadIdx.y\)\] = A\[.*?\];", loop, deep, count=1)
    found = traced(deep)
    steps = data_of(found.plot("requests"))["steps"]
    assert [step["times"] for step in steps] == [
        "Warp 0 makes 5 requests like this; this is the first.", "Warp 0 makes one such request."
    ]  # fmt: skip
    assert [lane[1] for lane in steps[0]["lanes"]] == [f"{n % 8}, {n // 8}, 0" for n in range(32)]


def test_of_a_conflict_each_lane_says_its_bank_and_its_wavefront():
    source = REVERSE.replace("tile[64]", "tile[1024]").replace("tile[threadIdx.x]", "tile[16 * threadIdx.x]")
    found = traced(source.replace("tile[63 - threadIdx.x]", "tile[0]"))
    store, load = data_of(found.plot("banks"))["steps"]
    assert "16 wavefronts" in store["heading"] and found.wavefronts()["store tile"] == 16
    said = [store["texts"][lane[-1]] for lane in store["lanes"]]
    assert said[3] == "bank 16, served in wavefront 2 of 16. A conflict: 16 different words are in bank 16."
    assert {load["texts"][lane[-1]] for lane in load["lanes"]} == {
        "bank 0, served in wavefront 1 of 1, one word for lanes 0 to 31."
    }
    assert store["lanes"][3][2] == "byte 192 of tile"


def test_no_text_of_a_student_leaves_its_place():
    hostile = REVERSE.replace("tile[threadIdx.x] = A[threadIdx.x];", HOSTILE)
    assert hostile != REVERSE
    html = traced(hostile).plot()._repr_html_()
    assert html.count("</script>") == html.count("<script>") == 1 and "<!--" not in html and 'onerror="' not in html
    assert HOSTILE in [step["code"] for step in data_of(traced(hostile).plot())["steps"]]


def test_a_figure_has_60_kb_at_most_and_its_picture_where_no_script_runs(reversed_):
    lines = "\n".join(f"C[threadIdx.x + {n}] = tile[(threadIdx.x * {n}) % 64];" for n in range(1, 40))
    many = traced(re.sub(r"C\[4 \* threadIdx.x\].*", lines, REVERSE))
    for figure in (reversed_.plot(), many.plot(), many.plot("banks")):
        html = figure._repr_html_()
        assert len(html.encode()) <= 60_000 and figure.script
        image = re.search(r'<img alt="(.*?)" style=".*?" src="data:image/svg\+xml,(.*?)">', html)
        drawn = unquote(image[2]).replace("'", '"').partition(' color="black"')
        before, _, after = figure.svg.partition(f' aria-label="{image[1]}"')
        assert (drawn[0], drawn[2]) == (before, after) and after
        assert "<details open>" in html[: image.start()]
    assert len(data_of(many.plot("banks"))["steps"]) < 40  # steps that have no room are left out


@pytest.fixture(scope="module")
def pages(reversed_, tmp_path_factory):
    """Two figures in a page, light and dark, with and without scripts: the pages, and the messages of their console."""
    sync_api = pytest.importorskip("playwright.sync_api")
    path = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if path is None:
        (pytest.fail if os.environ.get("CI") else pytest.skip)("Chromium is not installed")
    hostile = traced(REVERSE.replace("tile[threadIdx.x] = A[threadIdx.x];", HOSTILE))
    file = tmp_path_factory.mktemp("page") / "page.html"
    html = reversed_.plot()._repr_html_() + hostile.plot("banks")._repr_html_()
    file.write_text(f'<meta charset="utf-8"><meta name="color-scheme" content="light dark"><body>{html}')
    said = []
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--disable-gpu"])
        opened = {}
        for name, scheme, scripts in (("live", "light", True), ("dark", "dark", True), ("still", "light", False)):
            page = opened[name] = browser.new_page(
                viewport={"width": 700, "height": 680}, color_scheme=scheme, java_script_enabled=scripts
            )
            page.set_default_timeout(20_000)
            page.on("console", lambda message: said.append(message.text))
            page.on("pageerror", lambda error: said.append(str(error)))
            page.goto(file.as_uri())
        yield opened, said
        browser.close()


@pytest.mark.slow
def test_with_the_keyboard_alone_a_lane_tells_its_thread_element_and_sector(pages):
    page = pages[0]["live"]
    explorer = page.locator(".course-explorer").first
    status = explorer.get_by_role("status")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    for line in ("6: tile[threadIdx.x] = A[threadIdx.x];", "8: C[4 * threadIdx.x] = tile[63 - threadIdx.x];"):
        page.keyboard.press("Enter")  # Next, from the last to the first
        assert explorer.locator("pre").inner_text() == line
    page.keyboard.press("Tab")
    for key in ("End", "ArrowLeft", "ArrowLeft"):
        page.keyboard.press(key)
    told = "Lane 29, thread (29, 0, 0), stores C[116]: sector 14, bytes 448 to 479, one sector for lanes 28, 29."
    assert status.inner_text() == told
    assert explorer.locator('svg [tabindex="0"]').get_attribute("aria-label") == "lane 29"
    page.keyboard.press("Tab")  # all lanes are one tab stop; the picture comes next
    assert page.evaluate("document.activeElement.tagName") == "SUMMARY"
    box = explorer.locator("[aria-label='lane 2'] rect").first.bounding_box()
    page.mouse.move(box["x"] + 3, box["y"] + 3)  # beside the number
    assert status.inner_text().startswith("Lane 2, thread (2, 0, 0), stores C[8]: sector 1,")


@pytest.mark.slow
def test_the_picture_is_folded_away_in_the_page_s_colours_and_nothing_is_said_in_the_console(pages):
    opened, said = pages
    for page, ink in ((opened["live"], "rgb(0, 0, 0)"), (opened["dark"], "rgb(255, 255, 255)")):
        figures = page.locator("figure")
        assert [figure.bounding_box()["height"] < 300 for figure in figures.all()] == [True, True]
        first = figures.first
        assert not first.locator("details svg").is_visible()
        first.locator("summary").click()
        picture = first.locator("details svg")
        assert picture.is_visible() and "One request of each line" in picture.get_attribute("aria-label")
        assert picture.evaluate("each => getComputedStyle(each).color") == ink
        assert page.title() == "" and page.locator("figure img").count() == 0  # neither the student's img nor ours
    assert said == []


@pytest.mark.slow
def test_without_scripts_the_picture_stays(pages):
    page = pages[0]["still"]
    assert page.locator(".course-explorer").count() == 0
    assert page.locator("figure details[open] img").count() == 2
    box = page.locator("figure img").first.bounding_box()
    assert box["width"] > 500 and box["height"] > 150
