"""Honest students among hostile ones: in whatever order all are judged, the honest get the same marks as on their own.

`python -m tests.benchmarks.hostile_class` grades a class of 20 with kernels of their own in notebook 00. Then it grades
them again, in five orders, among 20 students who hand in cheats and faults, which are drawn anew for each order. Every
honest answer must keep its marks, and `autograder grade` must end with exit status 0.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import sys
import tempfile
import time
from pathlib import Path

from autograder.classroom import Classroom
from tests.benchmarks.whole_class import hand_in, mismatches, released, wrong_students


def main() -> int:
    """Grade the classes. Returns 1 if an honest mark is missing; raises CourseError if grading stops."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--honest", type=int, default=20)
    parser.add_argument("--hostile", type=int, default=20)
    parser.add_argument("--orders", type=int, default=5)
    given = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="hostile-class-"))
    os.environ["COURSE_CACHE"] = str(folder / "cache")
    template = released(folder / "released", "")
    missed = []
    for order in range(given.orders + 1):
        draw = random.Random(order)
        hostile = draw.sample(sorted(wrong_students().items()), given.hostile) if order else []
        # Students are judged in the order of their ids.
        ids = [f"{number:03}" for number in range(given.honest + len(hostile))]
        draw.shuffle(ids)
        room = Classroom(Path(shutil.copytree(template.folder, folder / f"order-{order}" / "course")))
        shutil.copytree(template.folder.parent / "solutions", room.folder.parent / "solutions", dirs_exist_ok=True)
        for number, student in enumerate(ids[: given.honest]):
            hand_in(room, student, number, own=3)
        for (_, (_, change)), student in zip(hostile, ids[given.honest :], strict=True):
            change(hand_in(room, student, 0, own=0))
        start = time.monotonic()
        room.grade()
        lost = mismatches(room, dict.fromkeys(ids[: given.honest], ""))
        missed += lost
        names = ", ".join(name for name, _ in hostile) or "nobody"
        print(
            f"order {order}: {time.monotonic() - start:.0f} s, {len(lost)} marks lost, among {names}", *lost, sep="\n  "
        )
    print(f"{given.honest} honest students, alone and in {given.orders} orders: {len(missed)} marks lost")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
