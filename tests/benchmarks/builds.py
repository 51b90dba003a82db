"""`make bench-builds`: from a cell to a loaded module, for each of the course's kernels; writes docs/results.md.

On a machine with a GPU, `nvcc` and PyTorch's own `load_inline` (`torch`) are measured, else `emulator`. `builds.json`
beside this file keeps what was measured on the other machine. With `--redraw` nothing is measured, and the table is
written from `builds.json`. The record is `{toolchain: {"machine", "versions", "load", "date", "first": s, "kernels":
{kernel: {"cold", "edited", "unchanged": [s, ...]}}}}`. `cold`: nothing of the kernel is in the build cache. `edited`: a
line was added to the kernel. `unchanged`: the whole kernel is in the cache. `first`: the cache is empty, so the time
includes what a toolchain makes once for all kernels.
"""

from __future__ import annotations

import datetime
import json
import os
import re
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import nbformat
import torch

from autograder.classroom import ROOT
from course import build
from course.device import gpu, nvcc
from course.doctor import SELF_TEST, self_test
from course.toolchains.emulator import clang
from tests.benchmarks.kernels import RESULTS, write_between
from tests.corpus import pytorch

RECORD = Path(__file__).with_name("builds.json")
COLD, EDITS = 2, 3
KINDS = ("cold", "edited", "unchanged")
# PyTorch's own build takes most of a minute, so only these kernels are built: once cold and once edited.
WITH_TORCH = ("00-add",)


def kernels() -> dict[str, str]:
    """The CUDA text of every answer in `solutions/`, by the id of its cell."""
    found = {}
    for path in sorted(ROOT.glob("solutions/*/*.ipynb")):
        cells = nbformat.read(path, as_version=4).cells
        answers = {cell.metadata.course.answer for cell in cells if "course" in cell.metadata}
        for cell in cells:
            if cell.source.startswith("%%cuda") and cell.metadata.get("nbgrader", {}).get("grade_id") in answers:
                found[cell.id] = cell.source.partition("\n")[2]
    return found


def seconds(text: str, toolchain: str) -> float:
    """Wall-clock seconds of one build, until the module is loaded."""
    source = build.cell_source(text)
    start = time.perf_counter()
    if toolchain == "torch":
        pytorch.build(source, Path(tempfile.mkdtemp(dir=os.environ["COURSE_CACHE"])))
    else:
        functions = build.bindable_functions(text)
        build.load_inline("measured", cuda_sources=text, functions=functions, toolchain=toolchain)
    return time.perf_counter() - start


def edited(text: str, number: int) -> str:
    """`text` with one more line in its first kernel."""
    return re.sub(r"(__global__[^{;]*\{)", rf"\1\n    const int edit = {number};", text, count=1)


def measured(text: str, toolchain: str, cold: int, edits: int) -> dict[str, list[float]]:
    """Seconds of each build of one kernel, in the cache that `COURSE_CACHE` names."""
    times: dict[str, list[float]] = {kind: [] for kind in KINDS}
    for _ in range(cold):
        for folder in (toolchain, "objects"):
            shutil.rmtree(Path(os.environ["COURSE_CACHE"], folder), ignore_errors=True)
        times["cold"].append(seconds(text, toolchain))
    for number in range(edits):
        times["edited"].append(seconds(edited(text, number), toolchain))
        times["unchanged"].append(seconds(edited(text, number), toolchain))
    return times


def measure(toolchain: str) -> dict[str, object]:
    """The record of one toolchain on this machine; a line for each kernel is printed as it comes."""
    compilers = f"ziglang {clang.VERSION}" if toolchain == "emulator" else f"nvcc {nvcc().version}"
    entry: dict[str, object] = {
        "machine": f"{gpu().name if gpu() else 'no GPU'}, {len(os.sched_getaffinity(0))} cores",
        "versions": f"PyTorch {torch.__version__}, {compilers}",
        "load": round(os.getloadavg()[0], 1),  # on a busy machine the times would be too long
        "date": datetime.date.today().isoformat(),
    }
    with tempfile.TemporaryDirectory() as cache:
        os.environ["COURSE_CACHE"] = cache
        entry["first"] = seconds(SELF_TEST, toolchain) if toolchain == "torch" else self_test(toolchain)
        entry["kernels"] = found = {}
        for name, text in kernels().items():
            if toolchain != "torch":
                found[name] = measured(text, toolchain, COLD, EDITS)
            elif name in WITH_TORCH:
                found[name] = measured(text, toolchain, 1, 1)
            else:
                continue
            print(toolchain, name, *(f"{kind} {show(times)}," for kind, times in found[name].items()), flush=True)
    return entry


def show(times: Sequence[float]) -> str:
    """The median and, if there are several values, the smallest and the largest."""
    median, unit, digits = statistics.median(times), "s", 2
    if median < 0.1:
        times, median, unit, digits = [1000 * each for each in times], 1000 * median, "ms", 1
    spread = f" ({min(times):.{digits}f} to {max(times):.{digits}f})" if len(times) > 1 else ""
    return f"{median:.{digits}f} {unit}{spread}"


def table(record: dict[str, dict]) -> str:
    """The page's text: a summary of each toolchain, then a row for each kernel."""
    lines: list[str] = []
    rows: dict[str, list[str]] = {"kernel": []}
    for toolchain, entry in sorted(record.items()):
        found = entry["kernels"].values()
        medians = [statistics.median(times["edited"]) for times in found]
        most = {kind: show([max(max(times[kind]) for times in found)]) for kind in KINDS}
        of = f" (median of {len(found)} kernels), at most {most['edited']}" if len(found) > 1 else ""
        said = f"edited {show([statistics.median(medians)])}{of}; unchanged at most {most['unchanged']}"
        where = f"{entry['machine']}, load {entry['load']} at the start, {entry['versions']}"
        first = f"The very first build, which includes what all kernels share, took {show([entry['first']])}"
        lines.append(f"- `{toolchain}` ({where}): {said}. {first}.")
        rows["kernel"] += [f"`{toolchain}` {kind}" for kind in KINDS]
        for kernel, times in entry["kernels"].items():
            # Empty cells for the toolchains to the left that did not build it.
            row = rows.setdefault(kernel, [])
            row += [""] * (len(rows["kernel"]) - len(KINDS) - len(row)) + [show(times[kind]) for kind in KINDS]
    if {"nvcc", "torch"} <= set(record):
        rows["kernel"].append("`nvcc` faster after an edit")
        for kernel, times in record["torch"]["kernels"].items():
            faster = statistics.median(times["edited"]) / statistics.median(record["nvcc"]["kernels"][kernel]["edited"])
            rows[kernel].append(f"{faster:.0f} times")
    heads, *kernels = ([name, *row] for name, row in rows.items())
    kernels = [row + [""] * (len(heads) - len(row)) for row in kernels]
    lines += ["", *(f"| {' | '.join(row)} |" for row in (heads, ["---", *["---:"] * (len(heads) - 1)], *kernels))]
    return "\n".join(lines) + "\n"


def written(record: dict) -> str:
    """The record as JSON, with a line per kernel."""
    return re.sub(r"\n {4,}|\n {3}(?=})", " ", json.dumps(record, indent=1)) + "\n"


def main() -> int:
    """Measure what this machine has, keep what the other one measured, and write both into docs/results.md."""
    record = json.loads(RECORD.read_text())
    if "--redraw" not in sys.argv[1:]:
        for toolchain in ("nvcc", "torch") if gpu() else ("emulator",):
            record[toolchain] = measure(toolchain)
            RECORD.write_text(written(record))
    text = table(record)
    write_between(RESULTS, "builds", text)
    print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
