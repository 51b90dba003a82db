"""The commands `collect` and `table`, and the commands that `collect` runs: `launch` and `extract`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from tests.benchmarks.microscope.collect import STEPS, collect, extract, launch
from tests.benchmarks.microscope.table import table


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.microscope")
    commands = parser.add_subparsers(dest="command", required=True)
    each = commands.add_parser("collect", help="run every kernel under NVIDIA's tools and keep their reports")
    each.add_argument("folder", type=Path)
    each.add_argument("--steps", nargs="+", choices=STEPS, default=STEPS)
    each = commands.add_parser("table", help="compare the reports with the tracer; exit 1 if anything is unexplained")
    each.add_argument("folder", type=Path)
    each = commands.add_parser("launch")
    each.add_argument("folder", type=Path)
    each.add_argument("calls", nargs="+")
    each = commands.add_parser("extract")
    each.add_argument("report", type=Path)
    each.add_argument("target", type=Path)
    options = parser.parse_args()
    if options.command == "collect":
        return collect(options.folder, options.steps)
    if options.command == "table":
        return table(options.folder)
    if options.command == "launch":
        launch(options.folder, options.calls)
    else:
        extract(options.report, options.target)
    return 0


if __name__ == "__main__":
    sys.exit(main())
