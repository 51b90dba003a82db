"""The pictures of concepts: nothing leaves the sheet, and their descriptions contain their numbers."""

import re

import pytest

from course import pictures
from course.errors import CourseError
from tests.notebook.drawings import boxes, size, texts

DRAWN = {
    "launch": pictures.launch(),
    "launch by quads": pictures.launch(18, 2, 4),
    "launch of whole blocks": pictures.launch(8, 4),
    "machine": pictures.machine(),
    "machine at L2": pictures.machine("L2"),
    "product": pictures.transposed_product(),
    "tile walk": pictures.tile_walk(),
    "outer product": pictures.outer_product(),
    "tree": pictures.reduction_tree(16),
    "pipeline": pictures.pipeline(),
    "vectors": pictures.vectors(3),
    "strides": pictures.strides(),
    "passes": pictures.passes("exp(A)", "+ 1", "relu"),
}


def test_where_there_is_no_html_a_picture_is_its_words():
    assert repr(DRAWN["launch"]) == DRAWN["launch"].alt


@pytest.mark.parametrize("name", DRAWN)
def test_a_picture_stays_on_its_sheet(name):
    width, height = size(DRAWN[name])
    assert width == 720 and height <= 360
    for text in texts(DRAWN[name]):
        assert text.left >= -2 and text.right <= width + 4 and text.y <= height, text
    for box in boxes(DRAWN[name]):
        assert box.x >= 0 and box.y >= 0 and box.x + box.width <= width + 0.5 and box.y + box.height <= height + 0.5


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("launch", "3 blocks with 4 threads each, over 10 elements.*2 threads at the end have no element"),
        ("launch by quads", "4 neighbouring elements.*last working thread has 2 of them. 1 thread at the end has no"),
        ("launch of whole blocks", "Every thread has an element"),
        ("machine at L2", "L2 cache: 60 MB on an H200, 4 MB on a T4.*You are here: L2"),
        ("tree", "After 4 steps, value 0 is the sum"),
        ("vectors", "begins 12 bytes past.*3 of them fit, from element 1 on.*1 element before them and 2 after them"),
        ("outer product", "8 rows and 8 columns.*16 loads.*64 multiply-adds"),
    ],
)
def test_the_words_have_the_numbers(name, words):
    assert re.search(words, DRAWN[name].alt)
    assert DRAWN[name].alt.replace("'", "&#x27;") in DRAWN[name]._repr_html_()


@pytest.mark.parametrize(
    "drawn",
    [
        lambda: pictures.launch(threads=0),
        lambda: pictures.launch(elements="10"),
        lambda: pictures.machine(here="moon"),
        lambda: pictures.vectors(offset=4),
        lambda: pictures.reduction_tree(threads=6),
        lambda: pictures.passes(),
        lambda: pictures.passes(1),
        lambda: pictures.passes("exp", None),
    ],
)
def test_what_cannot_be_drawn_is_said_in_a_sentence(drawn):
    with pytest.raises(CourseError, match=r", (and )?not "):
        drawn()
