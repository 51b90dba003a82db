"""`python -m tests.benchmarks.lms_walk`: the instructors' guide followed from an LMS's archive to files that go back.

A class of 30 hands in notebook 00, once through Canvas and once through Moodle: late, twice, renamed, and from people
who are not in the list. The commands are those of the guide, with the assignment's name, and no file is edited by hand.
Prints the seconds of each command. Returns 1 if a mark or a page is not the known one.
"""

from __future__ import annotations

import csv
import re
import shlex
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path

from autograder.classroom import ROOT, Classroom
from tests.grading.lms import CLASS, NAME, archive, canvas_path, canvas_roster, moodle_path, moodle_worksheet

GUIDE = (ROOT / "autograder" / "README.md").read_text()
POINTS = 8
RIGHT, WRONG = b"blocks = (1_000_003 + 255) // 256", b"blocks = 0"  # costs a point
SLIPS = (4700, 4705, 4708)  # who hand in the wrong answer
OUTSIDE = {4710, 4711, 4712, 4728, 4729}  # no notebook, nothing, or not in the list


def main() -> int:
    """Walk through the guide with both LMSs, in new folders."""
    folder = Path(tempfile.mkdtemp(prefix="lms-walk-"))
    print(f"In {folder}")
    return max(walk(folder / lms, lms) for lms in ("canvas", "moodle"))


def walk(folder: Path, lms: str) -> int:
    """Take the class in from one LMS, and back. Returns 1 if what goes back is not the known result."""
    (folder / "solutions").mkdir(parents=True)
    (folder / "solutions" / NAME).symlink_to(ROOT / "solutions" / NAME)
    room = Classroom.anew(folder / "course", folder / "solutions")
    room.release()
    solved = (ROOT / "solutions" / NAME / f"{NAME}.ipynb").read_bytes()
    assert RIGHT in solved
    slips = dict.fromkeys(SLIPS, solved.replace(RIGHT, WRONG))
    archive(room.folder / "submissions.zip", canvas_path if lms == "canvas" else moodle_path, solved, CLASS, slips)
    canvas_roster(room.folder / "ROSTER.csv", POINTS)
    moodle_worksheet(room.folder / "WORKSHEET.csv", f"{POINTS:.2f}")

    start, steps = time.monotonic(), commands(lms)
    for command in steps:
        print(f"$ {command}", flush=True)
        begin, (_, *words) = time.monotonic(), shlex.split(command)
        program = [sys.executable, "-m", "autograder.cli", *words]
        done = subprocess.run(program, cwd=room.folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        print(f"{done.stdout}[exit code {done.returncode}, {time.monotonic() - begin:.0f} s]", flush=True)
    print(f"{lms}: {len(steps)} commands in {(time.monotonic() - start) / 60:.1f} min")

    listed = {each.number: each for each in CLASS if each.listed}
    known = {number: f"{POINTS - (number in SLIPS)}" for number in listed if number not in OUTSIDE}
    (table,) = room.folder.glob(f"grading/lms/*-{lms}.csv")
    with table.open(newline="") as lines:
        rows = list(csv.DictReader(lines))
    if lms == "canvas":
        marks = {int(row["ID"]): row[f"{NAME} (815)"] for row in rows if row["ID"]}
        known |= {4711: "3.00"}  # Canvas's own mark
    else:
        marks = {int(row["Identifier"].split()[1]): row["Grade"] for row in rows}
    with zipfile.ZipFile(room.folder / "grading" / "lms" / f"{NAME}-feedback.zip") as pages:
        owners = {int(re.search(r"_(47\d\d)_", name)[1]) for name in pages.namelist()}
    known = dict.fromkeys(listed, "") | known
    known |= {4713: "EX"} if lms == "canvas" else {}
    wrong = {number: (marks.get(number), mark) for number, mark in known.items() if marks.get(number) != mark}
    print(f"{lms}: {len(marks)} rows, {len(owners)} pages, wrong marks (is, should be): {wrong}")
    return int(bool(wrong) or owners != {*listed} - OUTSIDE)


def commands(lms: str) -> list[str]:
    """The commands for one LMS in the guide's blocks, in order, with the assignment's name."""
    chapters = ("## Collect submissions", "## Grade\n", "## Give back")
    other = "moodle" if lms == "canvas" else "canvas"
    found = []
    for chapter in chapters:
        (block,) = re.findall(r"^```\n(autograder .*?)^```$", GUIDE.partition(chapter)[2], re.M | re.S)[:1]
        found += [line.partition("#")[0].strip() for line in block.splitlines() if f"--{other}" not in line]
    return [line.replace("ASSIGNMENT", NAME) for line in found if line.startswith("autograder")]


if __name__ == "__main__":
    sys.exit(main())
