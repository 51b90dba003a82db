"""Builds every `%%cuda` cell of the solutions with PyTorch's own load_inline, several at once, into the build cache.

`COURSE_TOOLCHAIN=torch` then runs the solution notebooks in a minute or two, where building cell after cell takes half
a minute each: `python -m tests.benchmarks.prebuild && COURSE_TOOLCHAIN=torch pytest tests/test_notebooks.py -k
top_to_bottom`.
"""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import nbformat

from tests.benchmarks.kernels import ROOT

# As the magic builds it: the cell's text after an empty line in the place of its own.
BUILD = """
import sys
from course.build import bindable_functions, load_inline
from course.toolchains.base import CourseError
source = sys.stdin.read()
try:
    load_inline("cell", cuda_sources=source, functions=bindable_functions(source), toolchain="torch")
except CourseError as error:
    sys.exit(str(error))
"""


def built(cell: nbformat.NotebookNode) -> str:
    """Build one cell in a process of its own; a line that says how it went."""
    source = "\n" + cell.source.partition("\n")[2]
    process = subprocess.run([sys.executable, "-c", BUILD], input=source, capture_output=True, text=True, cwd=ROOT)
    return f"{cell.id}: {process.stderr.strip().splitlines()[0] if process.returncode else 'built'}"


def main() -> int:
    """Build all; cells that must not build say so and are no failure here."""
    paths: list[Path] = sorted(ROOT.glob("solutions/*/*.ipynb"))
    cells = [cell for path in paths for cell in nbformat.read(path, as_version=4).cells]
    with ThreadPoolExecutor(max(1, (os.cpu_count() or 2) // 2)) as pool:
        for line in pool.map(built, [cell for cell in cells if cell.source.startswith("%%cuda")]):
            print(line, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
