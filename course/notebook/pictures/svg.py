"""Figures as SVG in the page's own colours. Each figure has a text for readers who cannot see it."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote
from xml.etree import ElementTree

from course.html import TEMPLATES, render

# Colours from M. Okabe and K. Ito, "Color Universal Design", 2008, distinguishable with any colour vision. Black
# letters have a contrast of at least 7:1 on each of these colours, so they are legible on light and on dark pages.
BLUE, YELLOW, ORANGE, GREEN = "#56B4E9", "#F0C35E", "#F3A27C", "#59C6A4"
VERMILION = "#D55E00"  # for lines: a contrast of at least 3:1 on white and on black
COLOURS = {"blue": BLUE, "green": GREEN, "orange": ORANGE, "vermilion": VERMILION, "yellow": YELLOW}  # in templates
FONT = "system-ui,-apple-system,sans-serif"
NOT_IN_XML = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
WIDTH, LEAST = 720, 340  # of a sheet in pixels: JupyterLab at 800 has 348, in which all lanes should be seen


@dataclass(frozen=True, repr=False)
class Figure:
    """A picture for a notebook, in the page's own colours: a whole `<svg>`, and its content in sentences."""

    svg: str
    alt: str

    def __repr__(self) -> str:
        return self.alt

    def url(self) -> str:
        """The picture, black on white, as it stands in the URL of an image. Its words are the image's `alt`."""
        alone = re.sub(r' aria-label="[^"]*"', ' color="black"', self.svg, count=1)
        return quote(alone.replace('"', "'"), safe=" =:/;,()'<>")  # its single quotes are escaped

    def _repr_html_(self) -> str:
        return render("figure.html", figure=self, script="")


def drawing(template: str, folder: Path = TEMPLATES, **data: Any) -> Figure:
    """The figure that a template in `folder` draws with `data`. The template, or else `data`, has the words `alt`."""
    # A single character that XML forbids, such as one from a student's line, would make the whole drawing invalid.
    svg = NOT_IN_XML.sub("\ufffd", render(template, folder, width=WIDTH, least=LEAST, font=FONT, **COLOURS, **data))
    return Figure(svg, ElementTree.fromstring(svg).attrib["aria-label"])
