"""`make bench`: runs the solution notebooks on this GPU and records what their `compare` cells measured.

Writes `course/recorded/h200.json` (what notebooks show if there is no GPU), the tables between the markers in
`docs/results.md` and `README.md`, and the README's chart. It needs a GPU, and records only an H200's times. With
`--redraw` it measures nothing and writes tables and chart from the record, on any machine.
"""

from __future__ import annotations

import datetime
import json
import re
import sys
from pathlib import Path

import nbformat
import torch

from autograder.classroom import ROOT, Classroom
from course import recorded
from course.measure import Timings, show_ms
from course.notebook.compare import Comparison
from course.notebook.plots import show_ratio
from tests.classes import executed

README, RESULTS = ROOT / "README.md", ROOT / "docs" / "results.md"
PICTURED = "row_scaling"
PICTURE = ROOT / "docs" / "img" / f"{PICTURED}.png"
# The tasks of the long table, at least one per notebook; the other records are of single steps within a notebook.
SHOWN = (
    *("axpy", "row_scaling", "scalar_multiply", "transposed_matmul", "tiled_matmul", "relu"),
    *("row_scaling_limit", "row_scaling_dots", "row_scaling_dots_long", "row_scaling_backward"),
    *("scaled_relu", "linear_relu", "softmax", "fast_matmul", "fast_matmul_odd"),
)
# The README's rows: notebook, task, PyTorch's variant, the course's kernel.
SUMMARY = (
    ("01", "row_scaling", "broadcasting", "one block per row"),
    ("02", "scalar_multiply", "A * s", "four loads per thread"),
    ("03", "transposed_matmul", "A.T @ B.T", "one thread per output, x along i"),
    ("04", "tiled_matmul", "A.T @ B.T", "32 x 32 tiles, Bs[k][j], padded"),
    ("05", "relu", "torch.relu", "float4, any tensor"),
    ("05", "row_scaling_limit", "broadcasting", "two float4 in flight"),
    ("06", "row_scaling_backward", "PyTorch's three operations", "one kernel"),
    ("08", "softmax", "torch.softmax", "row in registers"),
    ("09", "fast_matmul", "A.T @ B.T", "any shape"),
    ("09", "fast_matmul", "A.T @ B.T", "three TF32 products, wgmma"),
)


def source(notebook: str, cell_id: str) -> str:
    """The CUDA text of a `%%cuda` cell of `solutions/`."""
    cells = nbformat.read(ROOT / "solutions" / notebook / f"{notebook}.ipynb", as_version=4).cells
    return next(cell for cell in cells if cell.id == cell_id).source.partition("\n")[2]


def main() -> int:
    """Measure the notebooks that are named, or all, and record the times if this is the device whose times are kept.

    What one notebook measured is written before the next begins. What was recorded of other notebooks with this PyTorch
    is kept. Returns 1 if nothing could be measured or written.
    """
    if "--redraw" in sys.argv[1:]:
        redraw()
        return 0
    if not torch.cuda.is_available():
        print("The benchmark measures on a GPU, and this machine has none.", file=sys.stderr)
        return 1
    recording = "H200" in torch.cuda.get_device_name()
    for name in sys.argv[1:] or Classroom(ROOT).assignments:
        print(f"{name} ...", flush=True)
        tasks = measured(name)
        print(table({task: recorded.timings(entry) for task, entry in tasks.items()}, torch.__version__), flush=True)
        if recording:
            record(tasks)
    if not recording:
        print(f"Not written: the records are an H200's, and this is a {torch.cuda.get_device_name()}.", file=sys.stderr)
    return 0 if recording else 1


def record(tasks: dict[str, dict]) -> None:
    """Put what was measured into the record, and the record into tables and chart."""
    before = json.loads(recorded.H200.read_text())
    known = before["tasks"] if before["torch"] == torch.__version__ else {}
    add(known, tasks)
    whole = {"torch": torch.__version__, "date": datetime.date.today().isoformat(), "tasks": known}
    recorded.H200.write_text(json.dumps(whole, indent=1) + "\n")
    redraw()


def add(known: dict[str, dict], tasks: dict[str, dict]) -> None:
    """Add the newer times `tasks` to `known`. Several cells, in several notebooks, compare kernels in one task."""
    for task, entry in tasks.items():
        variants = known[task]["variants"] if task in known else {}
        known[task] = entry | {"variants": variants | entry["variants"]}


def redraw() -> None:
    """Write the tables and the chart from the record."""
    for page, name, text in tables():
        write_between(page, name, text)
    if timings := recorded.read(PICTURED):  # its notebook may not have been measured with this PyTorch yet
        PICTURE.write_bytes(Comparison(PICTURED, timings, measured=False, refused={}).figure.png)


def tables() -> list[tuple[Path, str, str]]:
    """The page, the marker and the text of each table, from the record."""
    whole = json.loads(recorded.H200.read_text())
    found = {task: recorded.timings(entry) for task, entry in whole["tasks"].items()}
    shown = {task: found[task] for task in SHOWN if task in found}
    return [(RESULTS, "measured", table(shown, whole["torch"])), (README, "measured", summary(found, whole["torch"]))]


def between(page: Path, name: str) -> str:
    """The text between the markers `<!-- name -->` and `<!-- /name -->` of a page."""
    return _marked(name).search(page.read_text())[2]


def write_between(page: Path, name: str, text: str) -> None:
    """Replace the text between a page's markers."""
    page.write_text(_marked(name).sub(lambda match: match[1] + text + match[3], page.read_text()))


def _marked(name: str) -> re.Pattern[str]:
    return re.compile(rf"(<!-- {name} -->\n)(.*?)(<!-- /{name} -->)", re.DOTALL)


def measured(name: str) -> dict[str, dict]:
    """What the `compare` cells of the solutions of `name` measured, by task."""
    notebook = executed(name)
    tasks: dict[str, dict] = {}
    for output in (output for cell in notebook.cells for output in cell.get("outputs", [])):
        add(tasks, output.get("data", {}).get(recorded.MIME, {}))
    return tasks


def table(tasks: dict[str, Timings], pytorch: str) -> str:
    """Every variant beside the first one and beside the limit."""
    device = next(iter(tasks.values())).device
    lines = [f"Medians on an {device}, PyTorch {pytorch}, measured by `make bench`:", ""]
    lines += ["| task | variant | time | speed-up | share of the limit |", "|---|---|---:|---:|---:|"]
    for task, timings in tasks.items():
        times = {name: s.median_ms for name, s in timings.variants.items()} | {timings.roof.name: timings.roof.ms}
        first = next(iter(times.values()))
        for name, ms in times.items():
            share = f"{timings.roof.ms / ms:.0%}"
            lines.append(f"| {task} ({sizes(timings)}) | {name} | {show_ms(ms)} | {show_ratio(first / ms)} | {share} |")
    return "\n".join(lines) + "\n"


def summary(tasks: dict[str, Timings], pytorch: str) -> str:
    """The README's table: PyTorch's time, the course's kernel and its limit for each row of SUMMARY."""
    device = next(iter(tasks.values())).device
    lines = [f"Medians on an {device} with PyTorch {pytorch}:", ""]
    lines += ["| notebook | task | PyTorch | kernel of the course | speed-up | share of the limit |"]
    lines += ["|---|---|---:|---:|---:|---:|"]
    for notebook, task, library, own in SUMMARY:
        if task not in tasks:  # not measured with this PyTorch yet
            continue
        timings = tasks[task]
        theirs, ours = timings.variants[library].median_ms, timings.variants[own].median_ms
        cells = [
            notebook, f"{task} ({sizes(timings)})", f"`{library}` {show_ms(theirs)}", f"{own}: {show_ms(ours)}",
            show_ratio(theirs / ours), f"{timings.roof.ms / ours:.0%}",
        ]  # fmt: skip
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def sizes(timings: Timings) -> str:
    """The sizes of a measured task, as `M = 4096, N = 4096`."""
    return ", ".join(f"{name} = {value}" for name, value in timings.sizes.items())


if __name__ == "__main__":
    sys.exit(main())
