"""What a class costs beside judging: marks and pages of submissions whose verdicts are recorded, also after kills.

`python -m tests.benchmarks.recorded_class 2000` hands in 2,000 submissions of notebook 00, each with three kernels of
its own. The solutions' verdicts are made once, and kept as those of everyone's answers; every tenth student's first
answer is kept as wrong. `autograder grade` is killed among the marks and among the pages, and run again. A quarter of
the class is graded first, so that the difference says what one more submission costs. With --identical, all hand in the
same.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from autograder.cells import about
from autograder.cells import graded as graded_cells
from autograder.classroom import Classroom
from autograder.grade import submissions
from autograder.gradebook import Course
from autograder.judging.jobs import Job, Judgement, Question
from tests.benchmarks.whole_class import KERNELS, NAME, hand_in, mismatches, released


def main() -> int:
    """Print the costs. Returns 1 if a mark is not the known one."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("students", type=int)
    parser.add_argument("--jobs", type=int, default=1, help="processes of `autograder grade`")
    parser.add_argument("--identical", action="store_true", help="everyone hands in the same")
    given = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="recorded-class-"))
    print(f"In {folder}")
    costs, missed = [], []
    verdicts: dict[Question, Judgement] = {}
    for count in (given.students // 4, given.students):
        room, known = recorded(folder / str(count), count, given.identical, verdicts)
        begun = time.monotonic()
        runs = [graded(room, given.jobs, stop) for stop in ("autograded/*/*/*.ipynb", "feedback/*/*/*.html", "")]
        seconds, memory = sum(cpu for cpu, _ in runs), max(peak for _, peak in runs)
        wrong = mismatches(room, known)
        missed += wrong
        costs.append((count, seconds, memory))
        print(
            f"{count} submissions: {seconds:.1f} s of CPU in the command's own process, {memory / 1024:.0f} MiB, ",
            end="",
        )
        print(f"{time.monotonic() - begun:.0f} s, {len(wrong)} marks that are not the known ones", flush=True)
    (few, cpu, peak), (many, more_cpu, higher) = costs
    print(f"One more submission: {(more_cpu - cpu) / (many - few):.3f} s, {(higher - peak) / (many - few):.0f} KiB")
    print("\n".join(missed))
    return 1 if missed else 0


def recorded(
    folder: Path, count: int, identical: bool, verdicts: dict[Question, Judgement]
) -> tuple[Classroom, dict[str, str]]:
    """A class of `count` whose answers all have judgements, and the answer that each student gets no points for.

    `verdicts` are those of right answers, by their questions. Missing ones are made.
    """
    room = released(folder, "")
    known = {}
    for number in range(count):
        student = f"student-{number:05}"
        hand_in(room, student, 0 if identical else number, len(KERNELS))
        known[student] = KERNELS[0] if number % 10 == 0 and not identical else ""
    with contextlib.chdir(room.folder):
        course = Course()
        done: set[Job] = set()
        for each in submissions(course, NAME):
            answers = {cell.metadata.nbgrader.grade_id: about(cell, "answer") for cell in graded_cells(each.taken)}
            for question, job in each.jobs.items():
                if job.question not in verdicts:
                    verdicts[job.question] = course.store.judged([job])[job]
                if job not in done:
                    wrong = known[each.student] == answers[question]
                    course.store.keep(job, replace(verdicts[job.question], correct=not wrong))
                    done.add(job)
    return room, known


def graded(room: Classroom, jobs: int, stop: str) -> tuple[float, int]:
    """Run the command, and kill it when a third of the files `stop` are there, unless this is empty.

    Returns its CPU seconds and the KiB of its memory.
    """
    third = len(list(room.folder.glob("grading/submitted/*"))) // 3
    command = [sys.executable, "-m", "autograder.cli", "grade", NAME, f"--jobs={jobs}"]
    with (room.folder / "told.txt").open("a") as told:
        process = subprocess.Popen(command, cwd=room.folder, stdout=told, stderr=told)
        is_due: Callable[[], bool] = lambda: bool(stop) and len(list(room.folder.glob(f"grading/{stop}"))) > third  # noqa: E731
        while not (ended := os.wait4(process.pid, os.WNOHANG))[0]:
            if is_due():
                process.kill()
            time.sleep(0.5)
    _, status, used = ended
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode in ((-9,) if stop else (0, 1)), (room.folder / "told.txt").read_text()
    return used.ru_utime + used.ru_stime, used.ru_maxrss


if __name__ == "__main__":
    sys.exit(main())
