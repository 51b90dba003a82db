"""Makes the data for explorer.js: one warp's requests, one of each form, with lanes, threads, elements and costs."""

from __future__ import annotations

import json
import re
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from course.explain.counts import SECTOR
from course.notebook.pictures.draw import BANKS, READ, WORD, WRITTEN, element_name, grouped, ranges, source_line
from course.notebook.pictures.requests import (
    CELL,
    LANE,
    LEFT,
    MEMORY,
    VERBS,
    WARP,
    Request,
    describe_cost,
    heading,
    sector_places,
)
from course.notebook.pictures.svg import FONT, LEAST, WIDTH, Figure, framed

if TYPE_CHECKING:
    from course.explain.counts import Access, Layout

FIGURE_BYTES = 60_000  # the most bytes of a figure that can be explored
TOP, DROP = 6, 40  # pixels above the lanes, and between the lanes and the sectors or banks


@dataclass(frozen=True, repr=False)
class Explorable(Figure):
    """A picture that a script replaces by an explorer. If no script can run, the picture is shown.

    When the picture is folded away, its `summary` is still shown. The script finds it in the page by its `name`."""

    summary: str
    name: str
    script: str

    def _repr_html_(self) -> str:
        # The script draws the explorer in the page and folds the image away.
        summary = f'<summary style="display:list-item;cursor:pointer">{escape(self.summary)}</summary>'
        body = f"<details open>{summary}{self.image()}</details><script>{self.script}</script>"
        return framed(body, f' data-explorer="{self.name}"')


def with_explorer(
    figure: Figure, summary: str, accesses: Sequence[Access], source: str, layouts: Mapping[str, Layout]
) -> Explorable | None:
    """The figure with a script that lets a reader explore as many requests of one warp as there is room for.

    The HTML has at most `FIGURE_BYTES`; None if the picture leaves no room for a request. For each kernel, the explorer
    shows the warp that makes the most different requests; of several such warps, the first. A student's text cannot end
    the script.

    Parameters
    ----------
    figure : Figure
        The picture, which is shown if scripts cannot run.
    summary : str
        The content of the picture in a few words.
    accesses : sequence of Access
        The accesses of one block of each kernel, at least one.
    source : str
        The text that the line numbers of the accesses refer to.
    layouts : mapping of str to Layout
        The layout of each tensor, by name."""
    program = files("course.notebook.pictures").joinpath("explorer.js").read_text(encoding="utf-8")
    program = re.sub(r"^\s+|^//.*\n", "", program, flags=re.MULTILINE).rstrip()
    frame = {
        "title": "Requests of one warp, one at a time",
        "size": [WIDTH, WARP],
        "lane": [LEFT, TOP, LANE, CELL],
        "font": FONT,
        "style": f"display:block;width:{WIDTH}px;max-width:100%;min-width:{LEAST}px;height:auto",
    }

    def explorable(steps: list[dict[str, Any]]) -> Explorable:
        data = _encoded({**frame, "steps": steps})
        name = f"{zlib.crc32(data.encode()):08x}"
        return Explorable(figure.svg, figure.alt, summary, name, f'({program})("{name}", {data})')

    room = FIGURE_BYTES - len(explorable([])._repr_html_().encode())
    found: list[dict[str, Any]] = []
    for step in _steps(accesses, source, layouts):
        room -= len(_encoded(step)) + 1
        if room < 0:
            break
        found.append(step)
    return explorable(found) if found else None


def _encoded(data: Any) -> str:
    """The data as JSON for a `<script>`, without any `</script>` or `<!--`."""
    return json.dumps(data, separators=(",", ":")).replace("<", "\\u003c")


def _steps(accesses: Sequence[Access], source: str, layouts: Mapping[str, Layout]) -> Iterator[dict[str, Any]]:
    """One step for each form of request that the shown warps make, in the order of the first request of each form."""
    kernels = grouped(accesses, lambda a: a.kernel)
    for kernel, own in kernels.items():
        warps = grouped(own, lambda a: a.warp)
        warp = max(sorted(warps), key=lambda number: len({(a.line, a.op, a.array) for a in warps[number]}))
        threads = {a.lane: a.thread for a in warps[warp]}
        made = Counter(_form(request) for request in _requests(warps[warp]))
        maker = f"Warp {warp}" + (f" of {kernel}" if len(kernels) > 1 else "")
        seen: set[tuple] = set()
        for request in _requests(warps[warp]):
            form = _form(request)
            if form in seen:
                continue
            seen.add(form)
            step = _sectors(request) if request.space == "global" else _banks(request)
            layout = layouts.get(request.array)
            lanes = [
                [lane, ", ".join(map(str, threads[lane])), _element(request.array, start, layout), *rest]
                for (lane, start), rest in zip(request.lanes, step.pop("lanes"), strict=True)
            ]
            count = f"{made[form]:,} requests like this; this is the first" if made[form] > 1 else "one such request"
            yield {
                "times": f"{maker} makes {count}.",
                "heading": heading(request),
                "line": request.line,
                "code": source_line(source, request.line),
                "cost": describe_cost(request),
                "verb": VERBS[request.op],
                "color": (READ if request.op == "load" else WRITTEN)["fill"],
                "lanes": lanes,
                **step,
            }


def _requests(accesses: Sequence[Access]) -> Iterator[Request]:
    """The requests of a warp, in order."""
    found: dict[tuple[Any, ...], list[tuple[int, int]]] = defaultdict(list)
    for a in accesses:
        found[a.interval, a.request, a.kernel, a.line, a.space, a.op, a.bytes_each, a.array].append((a.lane, a.offset))
    for (_, _, kernel, line, space, op, size, array), lanes in found.items():
        yield Request(kernel, line, space, op, size, array, tuple(sorted(lanes)))


def _form(request: Request) -> tuple:
    """The form of a request: its instruction, and the lanes' addresses relative to the lowest sector or word.

    Requests of one form need the same number of sectors or wavefronts, and the same lanes share them, because their
    addresses differ only by whole sectors or words.
    """
    unit = SECTOR if request.space == "global" else WORD
    base = request.starts[0] // unit * unit
    lanes = tuple((lane, start - base) for lane, start in request.lanes)
    return request.line, request.op, request.array, request.bytes_each, lanes


def _sectors(request: Request) -> dict[str, Any]:
    """The sectors that serve a request, with their places in the drawing. For each lane, the sectors of its bytes."""
    places, width = sector_places(request.sectors)
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


def _element(array: str, byte: int, layout: Layout | None) -> str:
    """The name of an element, such as "A[2, 0]". If the shape is not known, such as "byte 64 of As"."""
    name = element_name(array, byte, layout)
    return name if name.startswith(f"{array}[") else f"{name} of {array}"


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
