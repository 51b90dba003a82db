"""A class of 26 with notebook 00, graded on a busy machine: every mark beside that of an idle machine.

The class is graded twice, with an empty build cache each time. The second time, two processes per core burn the
processor, and the server of the workers starts 100 s late, as from a slow disk. Most of the class is right; the others
hand in mistakes and endless loops. `python -m tests.benchmarks.busy_class` must run as a user without privileges.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from nbgrader.api import Gradebook

from autograder import cli
from autograder.classroom import ROOT, Classroom
from course.errors import CourseError
from course.worker.server import Server
from tests.benchmarks.whole_class import NAME, Change, hand_in, released, wrong_students

STUDENTS = 26
OWN_KERNELS = 6  # students whose right kernel is their own; the kernels of all others who are right are the solution's
ENDLESS = ("fault-endless-loop-in-python", "fault-endless-loop-on-the-device", "fault-endless-loop-in-forward")
MISTAKES = 7
BURNS = "while True: pass"


def main() -> int:
    """Grade the class twice and compare the marks. Returns 1 if a mark differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--delay", type=float, default=100.0, help="seconds that the server starts late")
    parser.add_argument("--burners", type=int, default=2, help="processes per core that burn the processor")
    parser.add_argument("--grade", type=float, metavar="DELAY", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.grade is not None:
        return grade(given.grade)
    if os.getuid() == 0:
        parser.error("run this as a user without privileges")
    folder = Path(tempfile.mkdtemp(prefix="busy-class-"))
    print(f"In {folder}, as user {os.getuid()}, {len(os.sched_getaffinity(0))} cores, load {os.getloadavg()[0]:.1f}")

    room = released(folder / "idle", "")
    kinds = a_class(room)
    shutil.copytree(folder / "idle", folder / "busy")
    idle = graded(room, folder / "idle cache", 0.0)
    with burning(given.burners * len(os.sched_getaffinity(0))):
        busy = graded(Classroom(folder / "busy" / "course"), folder / "busy cache", given.delay)

    questions = sorted({question for _, question in idle})
    print("| handed in | students | " + " | ".join(questions) + " |\n" + "|---" * (2 + len(questions)) + "|")
    for kind in dict.fromkeys(kinds.values()):
        students = [student for student in kinds if kinds[student] == kind]
        cells = (f"{idle[students[0], each]:g} / {busy[students[0], each]:g}" for each in questions)
        print(f"| {kind} | {len(students)} | {' | '.join(cells)} |")
    different = [
        f"{student} ({kinds[student]}), {question}: {busy[student, question]:g}, not {mark:g}"
        for (student, question), mark in idle.items()
        if busy[student, question] != mark
    ]
    print(*different or [f"{len(idle)} marks of {len(kinds)} students: every mark as on an idle machine"], sep="\n")
    return 1 if different else 0


def a_class(room: Classroom) -> dict[str, str]:
    """Let the class hand in. Returns what each student hands in, in words."""
    wrong: dict[str, Change] = {student: change for student, (_, change) in wrong_students().items()}
    mistakes = [student for student in wrong if student.startswith("mistake-")][:MISTAKES]
    chosen = [*mistakes, *ENDLESS]
    kinds = {}
    for number, student in enumerate(chosen):
        wrong[student](hand_in(room, student, number, own=0))
        kinds[student] = student.partition("-")[2]
    for number in range(STUDENTS - len(chosen)):
        own = number < OWN_KERNELS
        hand_in(room, f"right-{number:02}", number, own=3 * own)
        kinds[f"right-{number:02}"] = "right, own kernels" if own else "the solution"
    return kinds


def graded(room: Classroom, cache: Path, delay: float) -> dict[tuple[str, str], float]:
    """Grade the class of `room`. Returns the mark of each student and question."""
    start = time.monotonic()
    environment = {**os.environ, "COURSE_CACHE": str(cache), "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", __spec__.name, "--grade", str(delay)]
    done = subprocess.run(command, cwd=room.folder, env=environment)
    print(f"autograder grade: exit status {done.returncode}, {time.monotonic() - start:.0f} s", flush=True)
    if done.returncode == 2:
        raise CourseError("The class could not be graded.")
    with Gradebook(f"sqlite:///{room.folder}/grading/gradebook.db", "cuda-kernels") as gradebook:
        return {
            (submission.student.id, mark.name): mark.auto_score
            for submission in gradebook.assignment_submissions(NAME)
            for notebook in submission.notebooks
            for mark in notebook.grades
        }


def grade(delay: float) -> int:
    """Run `autograder grade` in the current folder, with a server that starts `delay` seconds late."""
    command = Server.command
    slow = staticmethod(lambda fd: ["sh", "-c", f'sleep {delay}; exec "$@"', "sh", *command(fd)])
    Server.command = slow  # type: ignore[assignment, method-assign]
    return cli.main(["grade", NAME])


@contextlib.contextmanager
def burning(processes: int) -> Iterator[None]:
    """Let this many processes use the processor."""
    burners = [subprocess.Popen([sys.executable, "-S", "-c", BURNS]) for _ in range(processes)]
    try:
        yield
    finally:
        for each in burners:
            each.kill()
            each.wait()


if __name__ == "__main__":
    sys.exit(main())
