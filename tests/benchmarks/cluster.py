"""A Dask cluster of one and of two workers on this machine: the same marks, and the pace of two beside that of one.

`python -m tests.benchmarks.cluster` has both judge the same answers to notebook 00, a kernel of each student's own,
beginning with an empty build cache; then two judge them once more, one of which is killed in the middle.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path

from autograder.cluster import Cluster
from autograder.grade import Course
from autograder.jobs import Job
from tests.benchmarks.whole_class import NAME, hand_in, released
from tests.test_cluster import Machines


def main() -> int:
    """Judge three times, and say how fast it went. Returns 1 where a judgement differs or a right answer is wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--students", type=int, default=40)
    given = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="cluster-"))
    room = released(folder / "class", "")
    for number in range(given.students):
        hand_in(room, f"student-{number:03}", number, own=1)
    os.chdir(room.folder)
    one, pace_of_one = judged(folder / "one", 1)
    two, pace_of_two = judged(folder / "two", 2)
    killed, _ = judged(folder / "killed", 2, kill=True)
    print(
        f"one worker: {pace_of_one:.1f} answers a minute; two: {pace_of_two:.1f}, {pace_of_two / pace_of_one:.2f} times"
    )
    same = one == two == killed
    wrong = sum(not correct for correct in one.values())
    print(f"{len(one)} answers, {wrong} wrong; the same marks by one, by two, and with one of two killed: {same}")
    return 0 if same and not wrong else 1


def judged(folder: Path, workers: int, kill: bool = False) -> tuple[dict[Job, bool], float]:
    """Which answers are right, and how many were judged in a minute; `kill` ends a worker after a quarter of them."""
    folder.mkdir()
    os.environ["COURSE_CACHE"] = str(folder / "cache")
    machines = Machines(folder)
    try:
        processes = [machines.worker(f"worker-{number}") for number in range(workers)]
        with Cluster(machines.address) as cluster:
            submissions = Course(cluster=cluster).submissions(NAME)
            jobs = list(dict.fromkeys(job for each in submissions for job in each.jobs.values()))
            found, start = {}, time.monotonic()
            for job, judgements in cluster.judge(jobs):
                found[job] = all(judgement.correct for judgement in judgements.values())
                if kill and len(found) == len(jobs) // 4:
                    processes[0].kill()
            return found, 60 * len(found) / (time.monotonic() - start)
    finally:
        machines.stop()


if __name__ == "__main__":
    sys.exit(main())
