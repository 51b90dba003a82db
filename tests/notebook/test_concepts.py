"""The pictures of concepts: each is valid and has its words, and the notebooks show all of them."""

import re

import pytest

from autograder.classroom import ROOT
from course import picture
from course.notebook.pictures import CONCEPTS
from tests.notebook.drawings import size, texts

SHOWN = {
    (name, here or None)
    for path in ROOT.glob("solutions/*/*.ipynb")
    for name, here in re.findall(r'"picture\(\\"([\w-]+)\\"(?:, here=\\"([\w ]+)\\")?\)"', path.read_text())
}


def drawn(name, here):
    return picture(name, here=here) if here else picture(name)


def test_the_notebooks_show_each_picture():
    assert {name for name, _ in SHOWN} == {path.stem for path in CONCEPTS.glob("*.svg")} - {
        "shapes",
        "intervals",
        "uses",
    }


@pytest.mark.parametrize(("name", "here"), sorted(SHOWN, key=str))
def test_a_picture_stays_on_its_sheet_and_says_what_it_shows(name, here):
    figure = drawn(name, here)
    width, height = size(figure)
    assert width == 720 and height <= 800
    for text in texts(figure):
        assert text.left >= -2 and text.right <= width + 4 and text.y <= height, text
    assert len(figure.alt) > 60 and repr(figure) == figure.alt and "  " not in figure.alt
    assert (here or "") in figure.alt


def test_the_words_have_the_numbers():
    assert "L2 cache: 60 MB on an H200, 4 MB on a T4." in picture("machine", here="DRAM").alt
    assert "One thread's tile of C: 8 rows" in picture("outer-product")._repr_html_().replace("&#x27;", "'")
