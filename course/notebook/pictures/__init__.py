"""Pictures in SVG. Those in `concepts/` explain an idea before an exercise; the modules draw what `trace` found."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

from course.html import render
from course.notebook.pictures.svg import BLUE, GREEN, LOOK, ORANGE, VERMILION, YELLOW, Figure

CONCEPTS = Path(__file__).parent / "concepts"


def picture(name: str, **details: str) -> Figure:
    """The picture of a concept.

    Parameters
    ----------
    name : str
        The name of a file in `concepts/`, such as "launch".
    **details : str
        What the file asks for: `here` marks a place in the picture "machine".

    Returns
    -------
    Figure
        An SVG, with its content in words.
    """
    colours = {"blue": BLUE, "green": GREEN, "orange": ORANGE, "vermilion": VERMILION, "yellow": YELLOW}
    svg = render(f"{name}.svg", folder=CONCEPTS, **LOOK, **colours, **details)
    return Figure(str(svg), ElementTree.fromstring(svg).attrib["aria-label"])
