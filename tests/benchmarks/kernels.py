"""`make bench`: runs the solution notebooks on this GPU and writes down what their `compare` cells measured.

Writes `course/recorded/h200.json` (what notebooks show where there is no GPU), the table between the markers in
README.md, and the README's picture. Needs a GPU; records of an H200 are not replaced by those of another one.
"""

from __future__ import annotations

import datetime
import json
import re
import sys

import nbformat
import torch

from autograder.classroom import ROOT, Classroom
from course import recorded
from course.cells import Comparison
from course.measure import Timings
from course.plots import show_ms, show_ratio

README = ROOT / "README.md"
PICTURED = "row_scaling"
PICTURE = ROOT / "course" / "recorded" / f"{PICTURED}.png"
# The README shows one task a notebook, of 05 two and of 06 three; the other records are of single steps within one.
SHOWN = (
    *("axpy", "row_scaling", "scalar_multiply", "transposed_matmul", "tiled_matmul", "relu"),
    "row_scaling_limit",
    *("scaled_relu", "linear_relu", "softmax", "fast_matmul", "fast_matmul_odd"),
)
MARKED = re.compile(r"(<!-- measured -->\n).*?(<!-- /measured -->)", re.DOTALL)


def source(notebook: str, cell_id: str) -> str:
    """The CUDA text of a `%%cuda` cell of `solutions/`."""
    cells = nbformat.read(ROOT / "solutions" / notebook / f"{notebook}.ipynb", as_version=4).cells
    return next(cell for cell in cells if cell.id == cell_id).source.partition("\n")[2]


def main() -> int:
    """Measure the notebooks that are named, or all, and write where the device is the one that is recorded.

    What one notebook measured is written before the next begins, and what was recorded of others with this PyTorch
    stays. Returns 1 where nothing could be measured or written.
    """
    if not torch.cuda.is_available():
        print("The benchmark measures on a GPU, and this machine has none.", file=sys.stderr)
        return 1
    recording = "H200" in torch.cuda.get_device_name()
    for name in sys.argv[1:] or Classroom(ROOT).assignments:
        print(f"{name} ...", flush=True)
        tasks = measured(name)
        print(table({task: recorded.timings(entry) for task, entry in tasks.items()}), flush=True)
        if recording:
            record(tasks)
    if not recording:
        print(f"Not written: the records are an H200's, and this is a {torch.cuda.get_device_name()}.", file=sys.stderr)
    return 0 if recording else 1


def record(tasks: dict[str, dict]) -> None:
    """Put what was measured into the records, and the records into the README's table and chart."""
    before = json.loads(recorded.H200.read_text())
    tasks = (before["tasks"] if before["torch"] == torch.__version__ else {}) | tasks
    whole = {"torch": torch.__version__, "date": datetime.date.today().isoformat(), "tasks": tasks}
    recorded.H200.write_text(json.dumps(whole, indent=1) + "\n")
    rows = table({task: recorded.timings(tasks[task]) for task in SHOWN if task in tasks})
    README.write_text(MARKED.sub(lambda match: match[1] + rows + match[2], README.read_text()))
    if timings := recorded.read(PICTURED):  # with another PyTorch its notebook may not have been measured yet
        PICTURE.write_bytes(Comparison(PICTURED, timings, measured=False, refused={}).figure.png)


def measured(name: str) -> dict[str, dict]:
    """What the `compare` cells of the solutions of `name` measured, by task."""
    notebook = Classroom(ROOT).executed(name)
    bundles = [output.get("data", {}) for cell in notebook.cells for output in cell.get("outputs", [])]
    return {task: entry for bundle in bundles for task, entry in bundle.get(recorded.MIME, {}).items()}


def table(tasks: dict[str, Timings]) -> str:
    """The README's table: every variant beside the first and beside the roof."""
    device = next(iter(tasks.values())).device
    lines = [f"Medians on an {device}, PyTorch {torch.__version__}, measured by `make bench`:", ""]
    lines += ["| task | variant | time | speed-up | share of the roof |", "|---|---|---:|---:|---:|"]
    for task, timings in tasks.items():
        sizes = ", ".join(f"{name} = {value}" for name, value in timings.sizes.items())
        times = {name: s.median_ms for name, s in timings.variants.items()} | {timings.roof.name: timings.roof.ms}
        first = next(iter(times.values()))
        for name, ms in times.items():
            share = f"{timings.roof.ms / ms:.0%}"
            lines.append(f"| {task} ({sizes}) | {name} | {show_ms(ms)} | {show_ratio(first / ms)} | {share} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main())
