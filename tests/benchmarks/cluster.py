"""Dask clusters of one and of two workers on this machine: whether their marks are the same, and the pace of each.

`python -m tests.benchmarks.cluster` has both clusters judge the same answers to notebook 00, where each student has a
kernel of their own. Each begins with an empty build cache. Then two workers judge the answers once more, and one of the
two is killed halfway. On a machine with two GPUs, each worker has one of them; then some answers are marked by time.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import torch

from autograder.classroom import Classroom
from autograder.grade import submissions
from autograder.gradebook import Course
from autograder.judging.cluster import Cluster
from autograder.judging.jobs import Job, Judgement
from course.errors import CourseError
from tests.benchmarks.whole_class import NAME, hand_in, released
from tests.machines import Machines

TIMED = "00-add"  # the answer that is marked by time, if there are GPUs
TIMED_STUDENTS = 4

Marks = dict[Job, dict[str, Judgement]]


@dataclass
class Site:
    """Where the class is judged: on `gpus` (as CUDA_VISIBLE_DEVICES names them), or without any."""

    folder: Path
    gpus: list[str]
    sandbox: bool

    @contextmanager
    def machines(self, phase: str, judges: int) -> Iterator[tuple[Machines, list]]:
        """A cluster with empty build caches and `judges` workers that judge, and the processes of these workers."""
        folder = self.folder / phase
        folder.mkdir()
        os.environ["COURSE_CACHE"] = str(folder / "cache")
        machines = Machines(folder)

        def judge(number: int) -> object:
            if not self.gpus:
                return machines.worker(f"judge-{number}")
            own = {"CUDA_VISIBLE_DEVICES": self.gpus[number], "COURSE_CACHE": str(folder / f"cache-{number}")}
            return machines.worker(f"judge-{number}", "--resources", "GPU=1", **own)

        try:
            with ThreadPoolExecutor() as pool:
                processes = list(pool.map(judge, range(judges)))
            yield machines, processes
        finally:
            machines.stop()

    def jobs(self, cluster: Cluster) -> list[Job]:
        """All jobs that judging the class in this folder needs, each once."""
        course = Course()
        course.sandbox, course.cluster = self.sandbox, cluster
        found = submissions(course, NAME)
        return list(dict.fromkeys(job for each in found for job in each.jobs.values()))

    def judged(self, phase: str, judges: int, kill: bool = False) -> tuple[Marks, float]:
        """The class's judgements, and how many answers were judged per minute, counted from the first job.

        With `kill`, a worker that judges is killed after a quarter of the answers.
        """
        with self.machines(phase, judges) as (machines, processes), Cluster(machines.address) as cluster:
            jobs, found, start = self.jobs(cluster), {}, time.monotonic()
            for job, judgements in cluster.judge(jobs):
                found[job] = judgements
                if len(found) == 1:
                    first = time.monotonic() - start
                if kill and len(found) == max(1, len(jobs) // 4):
                    processes[0].kill()
            seconds = time.monotonic() - start
        pace = 60 * len(found) / seconds
        killed = ", one of which was killed" if kill else ""
        print(
            f"{judges} judging{killed}: {len(found)} answers in {seconds:.1f} s (the first after {first:.1f} s), "
            f"{pace:.1f} a minute",
            flush=True,
        )
        return found, pace

    def marked_by_time(self, room: Classroom) -> bool:
        """Whether right answers to TIMED are right when the time counts. Changes the class's question so that it is
        marked by time.
        """
        path = room.folder / "solutions" / NAME / f"{NAME}.ipynb"
        notebook = json.loads(path.read_text())
        for cell in notebook["cells"]:
            if (asked := cell["metadata"].get("course", {})).get("answer") == TIMED and asked["cases"] == "visible":
                asked["cases"] = "timed"
        path.write_text(json.dumps(notebook))
        with self.machines("timed", len(self.gpus)) as (machines, _), Cluster(machines.address) as cluster:
            jobs = [job for job in self.jobs(cluster) if job.question.cases == "timed"]
            start = time.monotonic()
            found = dict(cluster.judge(jobs[:TIMED_STUDENTS]))
            print(f"{len(found)} answers marked by time in {time.monotonic() - start:.1f} s:")
        for timed in found.values():
            print(f"  {timed.share:.0%} of the points, correct: {timed.correct}; {timed.verdict.get('message', '')}")
        return all(each.correct for each in found.values())


def main() -> int:
    """Judge three times, and say how fast it went. Returns 1 if a judgement differs or a right answer is wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--students", type=int, default=40)
    parser.add_argument("--no-sandbox", action="store_true", help="run the answers as your own programs")
    given = parser.parse_args()
    shown = os.environ.get("CUDA_VISIBLE_DEVICES") or ",".join(map(str, range(torch.cuda.device_count())))
    gpus = shown.split(",")[:2] if torch.cuda.device_count() > 1 else []
    folder = Path(tempfile.mkdtemp(prefix="cluster-"))
    cores = len(os.sched_getaffinity(0))
    print(f"In {folder}: {len(gpus) or 'no'} GPUs, {cores} cores, load {os.getloadavg()[0]:.1f}", flush=True)
    room = released(folder / "class", "")
    for number in range(given.students):
        hand_in(room, f"student-{number:03}", number, own=1)
    os.chdir(room.folder)
    site = Site(folder, gpus, not given.no_sandbox)
    try:
        one, pace_of_one = site.judged("one", 1)
    except CourseError as error:
        if not site.sandbox:
            raise
        print(f"{error} So answers run without a sandbox, as with --no-sandbox.", flush=True)
        site.sandbox = False
        one, pace_of_one = site.judged("one-without-sandbox", 1)
    two, pace_of_two = site.judged("two", 2)
    print(f"two: {pace_of_two / pace_of_one:.2f} times the pace of one", flush=True)
    killed, _ = site.judged("killed", 2, kill=True)

    def marks(found: Marks) -> dict[Job, dict[str, tuple[bool, float]]]:
        return {
            job: {name: (each.correct, each.share) for name, each in all_of.items()} for job, all_of in found.items()
        }

    wrong = [(name, each) for all_of in one.values() for name, each in all_of.items() if not each.correct]
    for name, each in wrong[:5]:
        print(f"{name} is wrong: {each.verdict.get('message') or each.reason}")
    same = marks(one) == marks(two) == marks(killed)
    print(
        f"{len(one)} answers, {len(wrong)} wrong; the same marks by one, by two, and with one of two killed: {same}",
        flush=True,
    )
    timed = site.marked_by_time(room) if gpus else True
    return 0 if same and timed and not wrong else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except CourseError as error:
        sys.exit(str(error))
