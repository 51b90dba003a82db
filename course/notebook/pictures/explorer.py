"""Makes the data for explorer.js: one warp's requests, one of each form, with lanes, threads, elements and costs."""

from __future__ import annotations

import json
import re
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from course.explain.counts import SECTOR
from course.html import render
from course.notebook.pictures.placed import CELL, LANE, LEFT, TOP, placed
from course.notebook.pictures.requests import (
    VERBS,
    WARP,
    WORD,
    Request,
    describe_cost,
    element_name,
    heading,
    source_line,
)
from course.notebook.pictures.svg import FONT, LEAST, WIDTH, Figure

if TYPE_CHECKING:
    from course.explain.counts import Access, Layout

FIGURE_BYTES = 60_000  # the most bytes of a figure that can be explored


@dataclass(frozen=True, repr=False)
class Explorable(Figure):
    """A picture that a script replaces by an explorer. If no script can run, the picture is shown.

    When the picture is folded away, its `summary` is still shown. The script finds it in the page by its `name`.
    """

    summary: str
    name: str
    script: str

    def _repr_html_(self) -> str:
        return render("figure.html", figure=self, script=self.script)


def with_explorer(
    figure: Figure, summary: str, accesses: Sequence[Access], source: str, layouts: Mapping[str, Layout]
) -> Explorable | None:
    """The figure with a script that lets a reader explore as many requests of one warp as there is room for.

    The figure is shown if scripts cannot run, and `summary` says in a few words what it shows. The HTML has at most
    `FIGURE_BYTES`; None if the picture leaves no room for a request. For each kernel, the explorer shows the warp that
    makes the most different requests; of several such warps, the first. A student's text cannot end the script.
    """
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
        worst = max(steps, key=lambda step: step["ratio"], default=None)  # the first that a reader sees
        data = _encoded({**frame, "steps": steps, "first": steps.index(worst) if worst else 0})
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
    kernels: dict[str, dict[int, list[Access]]] = defaultdict(lambda: defaultdict(list))
    for a in accesses:
        kernels[a.kernel][a.warp].append(a)
    for kernel, warps in kernels.items():
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
            step = placed(request)
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
                "ratio": round(request.over_least, 2),
                "verb": VERBS[request.op],
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


def _element(array: str, byte: int, layout: Layout | None) -> str:
    """The name of an element, such as "A[2, 0]". If the shape is not known, such as "byte 64 of As"."""
    name = element_name(array, byte, layout)
    return name if name.startswith(f"{array}[") else f"{name} of {array}"
