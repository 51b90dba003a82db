"""What an SVG drawing contains: its size, its texts, its boxes and its lines, in pixels."""

import re
from collections.abc import Iterator
from typing import NamedTuple
from xml.etree import ElementTree

from course.notebook.pictures.svg import Figure

SVG = "{http://www.w3.org/2000/svg}"
BOX = re.compile(r"M([-\d.e+]+) ([-\d.e+]+)h([-\d.e+]+)v([-\d.e+]+)h[-\d.e+]+z")
LINE = re.compile(r"M([-\d.e+]+) ([-\d.e+]+)L([-\d.e+]+) ([-\d.e+]+)(?![-\d.e+ L])")
DOWN = re.compile(r"translate\(0 ([\d.]+)\)")
PART = {"start": 0.0, "middle": 0.5, "end": 1.0}  # the share of a text's width that is left of its x
LETTER, CODE = 0.56, 0.6  # the mean width of a letter divided by the font's size


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


def elements(figure: Figure, tag: str) -> Iterator[tuple[ElementTree.Element, float, float]]:
    """The elements with this tag, with the y of the group that each is in, and the size of its letters."""
    root = ElementTree.fromstring(figure.svg)
    for group in [root, *root.iter(f"{SVG}g")]:
        down = DOWN.match(group.get("transform", ""))
        for each in group.findall(f"{SVG}{tag}"):
            yield each, float(down[1]) if down else 0.0, float(each.get("font-size", group.get("font-size", 12)))


def texts(figure: Figure) -> list[Text]:
    found = []
    for each, down, letters in elements(figure, "text"):
        for place in each if len(each) else [each]:
            wide = len(place.text) * letters * (CODE if "font-family" in each.attrib else LETTER)
            left = float(place.get("x")) - PART[place.get("text-anchor", each.get("text-anchor", "middle"))] * wide
            found.append(Text(place.text, left, left + wide, down + float(each.get("y")), letters))
    return found


def boxes(figure: Figure) -> list[Box]:
    found = []
    for each, down, _ in elements(figure, "path"):
        for x, y, wide, tall in BOX.findall(each.get("d")):
            look = each.get("fill"), float(each.get("stroke-width", 0))
            found.append(Box(float(x), down + float(y), float(wide), float(tall), *look))
    return found


def lines(figure: Figure) -> list[tuple[float, ...]]:
    """The straight lines: x and y of both ends."""
    return [
        (float(x), down + float(y), float(to_x), down + float(to_y))
        for each, down, _ in elements(figure, "path")
        for x, y, to_x, to_y in LINE.findall(each.get("d"))
    ]
