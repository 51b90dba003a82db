"""Draws races: two accesses by two threads, and the place between the accesses where a barrier is missing."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from course.errors import Hazard
from course.notebook.pictures.draw import MARGIN, WIDTH, sheet, source_line
from course.notebook.pictures.svg import VERMILION, Figure, Sheet, text_width

SHOWN = 4  # the most races in one figure
CODE = 180  # pixels from the left edge to the line of the source
ROW, GAP = 22, 22  # the heights of an access and of a barrier, in pixels


def race_figure(hazards: Sequence[Hazard], source: str) -> Figure | None:
    """Draw each race that a barrier fixes.

    Parameters
    ----------
    hazards : sequence of Hazard
        The hazards that the tracer found. The figure has the first `SHOWN` races that a barrier fixes.
    source : str
        The text that the line numbers of the hazards refer to.

    Returns
    -------
    Figure or None
        An SVG, with its content in words. None if there is no such race.
    """
    races = [each for each in hazards if each.barrier and {at["line"] for at in each.where} == {*each.barrier}]
    if not races:
        return None
    drawn = sheet("Two accesses, and the place between them where a barrier is missing")
    said = []
    for race in races[:SHOWN]:
        threads = {at["line"]: f"Thread ({', '.join(map(str, at['thread']))})" for at in race.where}
        block = ", ".join(map(str, race.where[0]["block"]))
        first, then = race.barrier or (0, 0)
        again = f", before line {then} runs again" if then < first else ""
        drawn.height += 20
        drawn.write(MARGIN, drawn.height - 9, f"Block ({block})", at="start")
        said.append(f"In block ({block}):")
        for line in (first, then):
            code = source_line(source, line)
            said.append(f"{threads[line]}, line {line}: `{code}`.")
            _draw_access(drawn, threads[line], f"{line}: {code}")
            if line == first:
                said.append(f"Here a __syncthreads() is missing{again}.")
                _draw_barrier(drawn, f"a __syncthreads() is missing here{again}")
    return drawn.figure(" ".join(said))


def _draw_access(drawn: Sheet, thread: str, code: str) -> None:
    top = drawn.height
    drawn.box(MARGIN, top, WIDTH - 2 * MARGIN, ROW, fill="grey", edge=0)
    drawn.write(MARGIN + 8, top + ROW / 2, thread, at="start")
    short = textwrap.shorten(code, 76, placeholder=" …")
    drawn.write(CODE, top + ROW / 2, short, size=11, at="start", code=True)
    drawn.height += ROW


def _draw_barrier(drawn: Sheet, text: str) -> None:
    """Draw a dashed line where the barrier is missing, with words in the middle of the line."""
    y = drawn.height + GAP / 2
    room = text_width(text) / 2 + 10
    drawn.write(WIDTH / 2, y, text, bold=True)
    for ends in ((MARGIN, WIDTH / 2 - room), (WIDTH / 2 + room, WIDTH - MARGIN)):
        drawn.line((ends[0], y), (ends[1], y), color=VERMILION, width=2, dashed=True)
    drawn.height += GAP
