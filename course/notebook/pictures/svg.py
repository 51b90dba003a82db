"""Figures as SVG in the page's own colours. Each figure has a text for readers who cannot see it."""

from __future__ import annotations

import math
import re
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any, TypedDict, Unpack
from urllib.parse import quote

from markupsafe import Markup

from course.html import render

# Colours from M. Okabe and K. Ito, "Color Universal Design", 2008, distinguishable with any colour vision. Black
# letters have a contrast of at least 7:1 on each of these colours, so they are legible on light and on dark pages.
BLUE, YELLOW, ORANGE, GREEN = "#56B4E9", "#F0C35E", "#F3A27C", "#59C6A4"
VERMILION = "#D55E00"  # for lines: a contrast of at least 3:1 on white and on black
FONT = "system-ui,-apple-system,sans-serif"
LETTER = 0.56  # the mean width of a letter divided by the font's size; for monospaced fonts 0.6
Point = tuple[float, float]  # x, y in pixels
NOT_IN_XML = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
WIDTH, LEAST = 720, 562  # the width of a sheet in pixels, and the least at which it is legible; a narrower page scrolls
LOOK: dict[str, Any] = {"width": WIDTH, "least": LEAST, "font": FONT}  # for templates/sheet.svg


@dataclass(frozen=True, repr=False)
class Figure:
    """A picture for a notebook, in the page's own colours: a whole `<svg>`, and its content in sentences."""

    svg: str
    alt: str

    def __repr__(self) -> str:
        return self.alt

    def image(self) -> str:
        """The picture as an `<img>`, black on white, with its text in `alt`. Any page can show such an image."""
        alone = re.sub(r' aria-label="[^"]*"', ' color="black"', self.svg, count=1)
        alone = alone.replace('"', "'")  # its single quotes are escaped
        alone = quote(alone, safe=" =:/;,()'<>")
        return (
            f'<img alt="{escape(self.alt)}" style="background:white;max-width:100%" src="data:image/svg+xml,{alone}">'
        )

    def _repr_html_(self) -> str:
        # GitHub removes the drawing and the style from the page, and so does JupyterLab until the notebook is trusted.
        # Then a reader sees the image.
        return framed(f"<style>.course-figure svg + img {{display:none}}</style>{self.svg}{self.image()}")


def framed(body: str, attributes: str = "") -> str:
    """The HTML of a figure with this body and with `attributes`."""
    return f'<figure class="course-figure"{attributes} style="margin:0 0 1em;overflow-x:auto">{body}</figure>'


class BoxStyle(TypedDict, total=False):
    """How a rectangle looks."""

    fill: str  # a colour of this module, or "grey", which is faint on any page; by default not filled
    hatch: bool  # whether the rectangle is hatched
    dashed: bool  # whether the edge is dashed
    edge: float  # the width of the edge in pixels, 0 for no edge; by default 1
    faint: float  # the opacity of the edge, 0 to 1


class LineStyle(TypedDict, total=False):
    """How a line looks."""

    color: str  # a colour of this module; by default the colour of the page's letters
    width: float  # in pixels; by default 1
    dashed: bool
    arrow: bool  # whether the line ends in an arrowhead
    faint: float  # the opacity of the line, 0 to 1


class TextStyle(TypedDict, total=False):
    """How a line of text looks."""

    size: float  # the size of the font in pixels; by default 12
    at: str  # the part of the text that is at x: "start", "middle" (default) or "end"
    bold: bool
    code: bool  # whether the font is monospaced
    on_color: bool  # whether the text is on a filled shape; then it is black on any page
    faint: float  # the opacity of the text, 0 to 1


@dataclass
class Sheet:
    """A sheet to draw on, WIDTH pixels wide and so far `height` high. Coordinates are in pixels, x right and y down.

    Lines and letters are in `currentColor`, the page's own colour. Letters on shapes that are filled are black."""

    height: float
    _parts: list[str] = field(default_factory=list)
    _hatched: bool = False

    def box(self, x: float, y: float, width: float, height: float, **style: Unpack[BoxStyle]) -> None:
        """Draw a rectangle at (x, y), in pixels."""
        self.boxes([(x, y, width, height)], **style)

    def boxes(self, places: Iterable[tuple[float, float, float, float]], **style: Unpack[BoxStyle]) -> None:
        """Draw rectangles of one style as one path. Each has x, y, width and height."""
        corners = "".join(f"M{x:.4g} {y:.4g}h{w:.4g}v{h:.4g}h{-w:.4g}z" for x, y, w, h in places)
        if not corners:
            return
        fill, edge, faint = style.get("fill", "none"), style.get("edge", 1.0), style.get("faint", 1.0)
        ink = f'fill="{fill}"' if fill != "grey" else 'fill="currentColor" fill-opacity=".13"'
        if edge:
            ink += f' stroke="currentColor" stroke-width="{edge:g}"'
            ink += f' stroke-opacity="{faint:g}"' if faint < 1 else ""
            ink += ' stroke-dasharray="3 3"' if style.get("dashed") else ""
        self._parts.append(f'<path d="{corners}" {ink}/>')
        if style.get("hatch"):
            self._hatched = True
            self._parts.append(f'<path d="{corners}" fill="url(#HATCH)"/>')

    def line(self, *points: Point, **style: Unpack[LineStyle]) -> None:
        """Draw a line through points, in pixels."""
        self.lines([points], **style)

    def lines(self, lines: Iterable[Sequence[Point]], **style: Unpack[LineStyle]) -> None:
        """Draw lines of one style as one path. Each goes through points, in pixels."""
        lines = list(lines)
        if not lines:
            return
        color, width, faint = style.get("color", "currentColor"), style.get("width", 1.0), style.get("faint", 1.0)
        path = "".join("M" + "L".join(f"{x:.4g} {y:.4g}" for x, y in points) for points in lines)
        ink = f'fill="none" stroke="{color}" stroke-width="{width:g}"'
        ink += ' stroke-dasharray="5 4"' if style.get("dashed") else ""
        ink += f' stroke-opacity="{faint:g}"' if faint < 1 else ""
        self._parts.append(f'<path d="{path}" {ink}/>')
        if style.get("arrow"):
            heads = "".join(f"M{_head(points, 5 + width)}z" for points in lines)
            self._parts.append(f'<path d="{heads}" fill="{color}"/>')

    def write(self, x: float, y: float, text: str, **style: Unpack[TextStyle]) -> None:
        """Write a line of text at x, centred vertically on y, in pixels."""
        self._parts.append(f'<text x="{x:.4g}" {_ink(y, style)}>{escape(text)}</text>')

    def write_row(self, places: Iterable[tuple[float, str]], y: float, **style: Unpack[TextStyle]) -> None:
        """Write short texts side by side as one element, each at its x, centred vertically on y."""
        spans = "".join(f'<tspan x="{x:.4g}">{escape(text)}</tspan>' for x, text in places)
        if spans:
            self._parts.append(f"<text {_ink(y, style)}>{spans}</text>")

    def figure(self, alt: str) -> Figure:
        """The figure of the drawing. `alt` is its alternative text."""
        # A single character that XML forbids, such as one from a student's line, would make the whole drawing invalid.
        body, alt = (NOT_IN_XML.sub("\ufffd", text) for text in ("".join(self._parts), alt))
        if self._hatched:
            # The pattern's name is unique. Otherwise a browser would use the first pattern of this name on the page,
            # which does not work if that pattern's figure is folded away.
            name = f"hatch{zlib.crc32(body.encode()):08x}"
            lines = '<path d="M0 0V6" stroke="black" stroke-opacity=".55" stroke-width="1.6"/>'
            rotated = 'width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"'
            body = f'<defs><pattern id="{name}" {rotated}>{lines}</pattern></defs>' + body.replace("#HATCH", f"#{name}")
        return Figure(str(render("sheet.svg", **LOOK, height=f"{self.height:g}", alt=alt, body=Markup(body))), alt)


def _head(points: Sequence[Point], length: float) -> str:
    """The corners of the arrowhead at the end of a line through points."""
    (x0, y0), (x1, y1) = points[-2:]
    angle = math.atan2(y1 - y0, x1 - x0)
    turned = (angle + 0.4, angle - 0.4)
    corners = [(x1, y1), *((x1 - length * math.cos(a), y1 - length * math.sin(a)) for a in turned)]
    return "L".join(f"{x:.4g} {y:.4g}" for x, y in corners)


def _ink(y: float, style: TextStyle) -> str:
    """The attributes of a text that is centred vertically on y."""
    size, at, faint = style.get("size", 12), style.get("at", "middle"), style.get("faint", 1.0)
    ink = f'y="{y + 0.35 * size:.4g}"'
    ink += f' font-size="{size:g}"' if size != 12 else ""
    ink += f' text-anchor="{at}"' if at != "middle" else ""
    ink += ' font-weight="bold"' if style.get("bold") else ""
    ink += ' font-family="monospace" xml:space="preserve"' if style.get("code") else ""
    ink += ' fill="black"' if style.get("on_color") else ""
    return ink + (f' fill-opacity="{faint:g}"' if faint < 1 else "")


def text_width(text: str, size: float = 12, code: bool = False) -> float:
    """The approximate width of a text, in pixels."""
    return len(text) * size * (0.6 if code else LETTER)
