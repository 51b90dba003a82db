"""Where a request's lanes, and the sectors or banks that serve them, are drawn: by requests.svg and by explorer.js."""

import textwrap
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from course.explain.counts import SECTOR
from course.notebook.pictures.requests import (
    BANKS,
    WARP,
    WORD,
    Request,
    describe,
    describe_cost,
    heading,
    ranges,
    source_line,
    where,
)
from course.notebook.pictures.svg import BLUE, YELLOW, Figure, drawing

if TYPE_CHECKING:
    from course.explain.counts import Layout

MAX_PANELS = 8  # panels in one figure
# Pixels: the left margin, the width of a lane or bank, the height of a lane or bank, and the height of a sector.
LEFT, LANE, CELL, MEMORY = 72, 20, 16, 20
TOP, DROP = 6, 40  # pixels above the lanes, and between the lanes and the sectors or banks
HEAD, LINE = 36, 16  # pixels above a panel's drawing, and of a line of words below it


def request_figure(
    requests: Sequence[Request], source: str, layouts: "Mapping[str, Layout]", title: str, panels: int = MAX_PANELS
) -> Figure:
    """Draw each request with its lanes. Below them, draw the sectors or the banks of shared memory that serve them.

    A figure has only the first `panels` requests. Lines refer to `source`. If the layout of an array is not known, its
    bytes are numbered instead of its elements.
    """
    if len(requests) > panels:
        title += f" (the first {panels} of {len(requests)})"
        requests = requests[:panels]
    heads = textwrap.wrap(title, 90)
    top, drawn, said = 6 + 18 * len(heads), [], [f"{title}."]
    for request in requests:
        layout = layouts.get(request.array)
        active = [lane for lane, _ in request.lanes]
        code = textwrap.shorten(source_line(source, request.line), 98, placeholder=" …")
        words = textwrap.wrap(f"{where(request, layout)} {describe_cost(request)}", 105)
        panel = placed(request)
        panel |= {
            "y": top,
            "heading": heading(request),
            "code": code,
            "words": words,
            "lanes": [[lane, x] for lane, (x, *_) in zip(active, panel["lanes"], strict=True)],
            "active": active,
            "idle": [lane for lane in range(WARP) if lane not in active],
        }
        top += HEAD + panel["height"] + LINE * len(words) + 6
        drawn.append(panel)
        said.append(describe(request, source, layout))
    lane = {"left": LEFT, "top": TOP, "wide": LANE, "tall": CELL}
    return drawing("requests.svg", height=top, alt=" ".join(said), title=heads, requests=drawn, lane=lane)


def placed(request: Request) -> dict[str, Any]:
    """The drawing of a request: its height, colour, labels and cells, with their places in pixels.

    For each lane it has the place that the lane's line leads to, the cells that serve the lane, and the number of a
    sentence in `texts`.
    """
    step = _sectors(request) if request.space == "global" else _banks(request)
    return {"color": BLUE if request.op == "load" else YELLOW, **step}


def _sector_places(sectors: Sequence[int]) -> tuple[dict[int, float], float]:
    """The x of each sector in the drawing, and the width of a sector."""
    gaps = sum(b != a + 1 for a, b in pairwise(sectors))
    gap = min(32, 80 / gaps) if gaps else 0.0
    width = min(8 * LANE, (WARP * LANE - gap * gaps) / len(sectors))
    x = LEFT + (WARP * LANE - width * len(sectors) - gap * gaps) / 2
    places = {}
    for before, sector in zip([sectors[0] - 1, *sectors], sectors, strict=False):
        x += gap * (sector != before + 1)
        places[sector] = x
        x += width
    return places, width


def _sectors(request: Request) -> dict[str, Any]:
    """The sectors that serve a request, with their places in the drawing. For each lane, the sectors of its bytes."""
    places, width = _sector_places(request.sectors)
    top, number = TOP + CELL + DROP, {sector: n for n, sector in enumerate(places)}
    touched = {lane: range(a // SECTOR, (a + request.bytes_each - 1) // SECTOR + 1) for lane, a in request.lanes}
    users: dict[int, list[int]] = defaultdict(list)
    for lane, sectors in touched.items():
        for sector in sectors:
            users[sector].append(lane)
    texts: list[str] = []
    lanes = []
    for lane, start in request.lanes:
        first = touched[lane][0]
        middle = places[first] + ((start + request.bytes_each / 2) / SECTOR - first) * width
        said = "; ".join(f"{_sector_name(sector)}, {_sharing(users[sector])}" for sector in touched[lane]) + "."
        lanes.append([round(middle, 1), [number[sector] for sector in touched[lane]], _place(texts, said)])
    return {
        "height": top + MEMORY + 18,
        "labels": [
            [LEFT - 6, top + 14, "memory", "end"],
            [LEFT - 6, top + MEMORY + 13, "sector", "end"],
            *(
                [round(x + width / 2, 1), top + MEMORY + 13, str(sector), "middle"]
                for sector, x in places.items()
                if width > 7 * len(str(sector))
            ),
        ],
        "cells": [[round(x, 1), top, round(width, 1), MEMORY, ""] for x in places.values()],
        "filled": False,
        "top": top,
        "depth": MEMORY,
        "bytes": round(max(width * request.bytes_each / SECTOR, 0.5), 2),
        "lanes": lanes,
        "texts": texts,
    }


def _banks(request: Request) -> dict[str, Any]:
    """The wavefronts that serve a request, with the banks of each. For each lane, the banks that serve it."""
    parts, fronts = request.parts, request.wavefronts
    top = TOP + CELL + DROP
    first, height = top + CELL + 3, 16 if len(fronts) <= 8 else 13
    cells: list[list[Any]] = []
    lanes_of: list[tuple[int, int, list[int]]] = []
    own: dict[int, list[int]] = defaultdict(list)
    rivals: dict[int, dict[int, int]] = {}  # for each lane: how many words its part of the warp requests from each bank
    for part in parts:
        asked = Counter(bank for front in part for bank in front)
        for lane in {lane for front in part for served in front.values() for lane in served}:
            rivals[lane] = asked
    for row, front in enumerate(fronts):
        for bank, served in front.items():
            for lane in served:
                own[lane].append(len(cells))
            lanes_of.append((row, bank, served))
            label = str(served[0]) if len(served) == 1 else f"x{len(served)}"
            cells.append([LEFT + bank * LANE, first + row * height, LANE, height, label])
    texts: list[str] = []
    lanes = []
    for lane, start in request.lanes:
        middle = LEFT + ((start / WORD) % BANKS + max(request.bytes_each / WORD, 1) / 2) * LANE
        mine = [lanes_of[cell] for cell in own[lane]]
        banks, rows = sorted({bank for _, bank, _ in mine}), sorted({row + 1 for row, _, _ in mine})
        words = max(rivals[lane][bank] for bank in banks)
        said = f"{_named('bank', banks)}, served in {_named('wavefront', rows)} of {len(fronts)}"
        others = mine[0][2]
        said += f", {_sharing(others, 'word')}." if len(others) > 1 else "."
        if words > 1:
            which = _named("bank", banks) if len(banks) == 1 else f"each of the banks {ranges(banks)}"
            said += f" A conflict: {words} different words are in {which}."
        lanes.append([round(middle, 1), own[lane], _place(texts, said)])
    return {
        "height": first + len(fronts) * height + 4,
        "labels": [
            [LEFT - 6, top + 12, "bank", "end"],
            *([LEFT + (bank + 0.5) * LANE, top + 12, str(bank), "middle"] for bank in range(BANKS)),
            *([LEFT - 6, first + (n + 0.5) * height + 4, f"wavefront {n + 1}", "end"] for n in range(len(fronts))),
        ],
        "cells": cells,
        "filled": True,
        "top": top,
        "lanes": lanes,
        "texts": texts,
    }


def _sector_name(sector: int) -> str:
    return f"sector {sector:,}, bytes {SECTOR * sector:,} to {SECTOR * (sector + 1) - 1:,}"


def _sharing(lanes: Sequence[int], what: str = "sector") -> str:
    """Says in words which lanes request the same sector or word."""
    return f"one {what} for lanes {ranges(sorted(lanes))}" if len(lanes) > 1 else "for this lane alone"


def _named(noun: str, numbers: Sequence[int]) -> str:
    """Numbers with their noun, such as "bank 3" or "banks 0 to 3"."""
    return f"{noun}{'s' * (len(numbers) > 1)} {ranges(numbers)}"


def _place(texts: list[str], text: str) -> int:
    """The index of `text` in `texts`. If `text` is missing, it is appended."""
    if text not in texts:
        texts.append(text)
    return texts.index(text)
