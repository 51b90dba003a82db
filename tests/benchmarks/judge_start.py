"""What the start of a judge costs: one `%%cuda` answer, judged in a fresh process, with everything in the build cache.

`python -m tests.benchmarks.judge_start [--sandbox] [FOLDER...]` prints, for each checkout of the course (default: this
one), the median seconds until the verdict and MiB of the processes that the judge started. Several checkouts take
turns, so that they can be compared on a busy machine. The MiB are the sum of the proportional set sizes of the course's
servers, workers and builders, each at its own peak. This is more than they take at any one time, since they share pages
and do not all run at once.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

from autograder.classroom import ROOT
from tests.benchmarks.builds import kernels

ROUNDS = 5
PROGRAM = """
import sys
from course.referee.judge import judge
from course.worker.protocol import Answer
server = None
if sys.argv[3:]:
    from autograder.judging.sandbox import sandbox
    server = sandbox("emulator")
answer = Answer("cuda", sys.argv[1], sys.argv[2])
verdict = judge(answer, "vector_add", toolchain="emulator", server=server)
assert verdict.correct, verdict.message
"""
ANSWER = kernels()["00-add"]


def started(folder: Path, more: list[str]) -> subprocess.Popen:
    """A process that judges with the course in `folder`."""
    command = [sys.executable, "-c", PROGRAM, ANSWER, "add", *more]
    return subprocess.Popen(command, cwd=folder, env={**os.environ, "PYTHONPATH": str(folder)})


def seconds(folder: Path, more: list[str]) -> float:
    """Wall-clock seconds from the start of the process to its end."""
    start = time.perf_counter()
    assert started(folder, more).wait() == 0
    return time.perf_counter() - start


def mebibytes(folder: Path, more: list[str]) -> float:
    """The sum of the peak memory of each process below the judge."""
    most: dict[int, int] = {}
    with started(folder, more) as process:
        while process.poll() is None:
            for pid in descendants(process.pid):
                most[pid] = max(most.get(pid, 0), proportional_kib(pid))
            time.sleep(0.005)
    assert process.returncode == 0
    return sum(most.values()) / 1024


def descendants(pid: int) -> list[int]:
    """The processes below `pid`."""
    try:
        children = [int(child) for path in Path(f"/proc/{pid}/task").iterdir()
                    for child in (path / "children").read_text().split()]  # fmt: skip
    except OSError:  # it has ended
        return []
    return [each for child in children for each in (child, *descendants(child))]


def proportional_kib(pid: int) -> int:
    """The proportional set size of a process of the course; 0 if the process is not the course's or has ended."""
    try:
        # Checked first: a process that was forked, but has not called exec yet, shows the judge's memory as its own.
        if b"course.worker." not in Path(f"/proc/{pid}/cmdline").read_bytes():
            return 0
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith("Pss:")), 0)


def main() -> int:
    """Measure each checkout in turns, after one round that fills the build cache."""
    more = [each for each in sys.argv[1:] if each == "--sandbox"]
    folders = [Path(each).resolve() for each in sys.argv[1:] if each not in more] or [ROOT]
    for folder in folders:
        seconds(folder, more)
    rounds = [[(seconds(folder, more), mebibytes(folder, more)) for folder in folders] for _ in range(ROUNDS)]
    for folder, found in zip(folders, zip(*rounds, strict=True), strict=True):
        took, size = (statistics.median(each) for each in zip(*found, strict=True))
        print(f"{folder}: {took:.2f} s, {size:.0f} MiB (medians of {ROUNDS})")
    return 0


if __name__ == "__main__":
    sys.exit(main())
