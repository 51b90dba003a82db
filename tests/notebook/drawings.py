"""What an SVG drawing contains: its size, its texts, its boxes and its lines, in pixels."""

import re
from typing import NamedTuple
from xml.etree import ElementTree

from course.notebook.pictures.svg import Figure, text_width

SVG = "{http://www.w3.org/2000/svg}"
BOX = re.compile(r"M([-\d.e+]+) ([-\d.e+]+)h([-\d.e+]+)v([-\d.e+]+)h[-\d.e+]+z")
LINE = re.compile(r"M([-\d.e+]+) ([-\d.e+]+)L([-\d.e+]+) ([-\d.e+]+)(?![-\d.e+ L])")
PART = {"start": 0.0, "middle": 0.5, "end": 1.0}  # the share of a text's width that is left of its x


class Text(NamedTuple):
    text: str
    left: float
    right: float
    y: float  # of the baseline
    size: float


class Box(NamedTuple):
    x: float
    y: float
    width: float
    height: float
    fill: str
    edge: float


def size(figure: Figure) -> tuple[float, float]:
    """The sheet's width and height."""
    _, _, width, height = map(float, ElementTree.fromstring(figure.svg).get("viewBox").split())
    return width, height


def texts(figure: Figure) -> list[Text]:
    found = []
    for each in ElementTree.fromstring(figure.svg).iter(f"{SVG}text"):
        letters = float(each.get("font-size", 12))
        part = PART[each.get("text-anchor", "middle")]
        for place in [each] if each.text else each:
            wide = text_width(place.text, letters, "font-family" in each.attrib)
            left = float(place.get("x")) - part * wide
            found.append(Text(place.text, left, left + wide, float(each.get("y")), letters))
    return found


def boxes(figure: Figure) -> list[Box]:
    return [
        Box(*map(float, place), each.get("fill"), float(each.get("stroke-width", 0)))
        for each in ElementTree.fromstring(figure.svg).iter(f"{SVG}path")
        for place in BOX.findall(each.get("d"))
    ]


def lines(figure: Figure) -> list[tuple[float, ...]]:
    """The straight lines: x and y of both ends."""
    return [
        tuple(map(float, ends))
        for each in ElementTree.fromstring(figure.svg).iter(f"{SVG}path")
        for ends in LINE.findall(each.get("d"))
    ]
