"""The command `autograder`, for instructors. Run it in the folder of an nbgrader course."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from datetime import timedelta
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from course.errors import CourseError

if TYPE_CHECKING:
    from autograder.gradebook import Course
    from autograder.lms.exchange import Lms

FAILED, MISUSED, INTERRUPTED = 1, 2, 130

# A command returns False if a submission needs attention.
Command = Callable[["Course", argparse.Namespace], bool | None]
Argument = tuple[str, dict[str, Any]]
COMMANDS: dict[Command, Sequence[Argument]] = {}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status.

    0: the command succeeded. 1: a submission needs attention. 2: an error ended the command. 130: stopped with Ctrl-C.
    """
    given = _parser().parse_args(arguments)
    try:
        if find_spec("nbgrader") is None:
            raise CourseError("The autograder needs nbgrader: run pip install -e '.[class]' in a clone of the course.")
        from autograder.gradebook import Course

        return FAILED if given.run(Course(), given) is False else 0
    except CourseError as error:
        print(error, file=sys.stderr)
        return MISUSED
    except KeyboardInterrupt:
        print("\nStopped. The judgements so far are stored. Run the same command to continue.", flush=True)
        os._exit(INTERRUPTED)  # a normal exit would wait for the answers that are being judged


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="autograder", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    for run, arguments in COMMANDS.items():
        about = " ".join((run.__doc__ or "").split())
        brief = about[0].lower() + about[1:].partition(". ")[0].rstrip(".")
        command = commands.add_parser(run.__name__.strip("_"), help=brief, description=about)
        command.set_defaults(run=run)
        for name, settings in arguments:
            command.add_argument(name, **settings)
    for name in ("collect", "export"):
        roster = commands.choices[name].add_mutually_exclusive_group(required=True)
        roster.add_argument("--canvas", type=Path, metavar="ROSTER.csv", help="the export of Canvas's gradebook")
        roster.add_argument("--moodle", type=Path, metavar="WORKSHEET.csv", help="Moodle's grading worksheet")
    return parser


def _command(*arguments: Argument) -> Callable[[Command], Command]:
    """Make the function `_NAME` the command `NAME`. Its docstring is the help, and the first sentence the brief one."""

    def add(run: Command) -> Command:
        COMMANDS[run] = arguments
        return run

    return add


def _argument(name: str, about: str | None = None, **settings: Any) -> Argument:
    return name, {"help": about, **settings}


# Each command imports what it needs: PyTorch takes seconds, and a due date needs none.

ASSIGNMENT, STUDENT = _argument("assignment"), _argument("student")


@_command(
    _argument("assignment", nargs="+"),
    _argument("--student", "grade only this student", default=""),
    _argument("--again", "judge all answers again; manual marks are kept", action="store_true"),
    _argument("--dry-run", "judge, and list the marks that would change, but write none of them", action="store_true"),
    _argument("--question", "with --again: judge only this answer again", default="", metavar="GRADE_ID"),
    _argument("--jobs", "answers judged at the same time (default: one per core)", type=int, default=0, metavar="N"),
    _argument(
        "--cluster", "judge on the Dask cluster with this address; local: start one here", default="", metavar="ADDRESS"
    ),
    _argument("--no-sandbox", "run the answers without a sandbox, with all your permissions", action="store_true"),
)
def _grade(course: Course, given: argparse.Namespace) -> bool:
    """Judge submissions, and write marks and feedback. If it is stopped, run the same command to continue."""
    if given.question and not given.again:
        raise CourseError("--question needs --again: write --again --question GRADE_ID.")
    if given.jobs < 0 or (given.jobs and given.cluster):
        raise CourseError("--jobs must be 1 or more, and cannot be used with --cluster.")
    if given.no_sandbox:
        print(
            "Warning: with --no-sandbox, answers run like your own programs and can do everything that you can do.",
            file=sys.stderr,
        )
    from autograder.grade import grade
    from autograder.judging.cluster import Cluster

    course.sandbox = not given.no_sandbox
    with Cluster(given.cluster) if given.cluster else nullcontext() as course.cluster:
        for assignment in given.assignment:
            course.require(assignment)
        options = {name: getattr(given, name) for name in ("student", "question", "again", "dry_run")}
        done = [grade(course, assignment, workers=given.jobs, **options) for assignment in given.assignment]
    return all(done)


@_command(
    _argument("assignment", "default: the course and all assignments with marks", nargs="?", default=""),
    _argument(
        "--projection",
        "write a page that can be shown to the class, without names and hidden inputs",
        action="store_true",
    ),
)
def _report(course: Course, given: argparse.Namespace) -> None:
    """Write a page for the instructor about an assignment or the course. It has marks, questions, causes of mistakes,
    and what needs attention. Each table is also a CSV file. No other file is changed."""
    from autograder.report import Assignment, course_report, report

    name, projection = given.assignment, given.projection
    page = report(Assignment(course, name), projection) if name else course_report(course, projection)
    print(f"Report: {page}")


@_command(
    ASSIGNMENT,
    _argument(
        "when",
        "such as 2026-12-01 18:00 Europe/Berlin (default zone: this machine's), or none to remove the due date",
        nargs="*",
    ),
)
def _due(course: Course, given: argparse.Namespace) -> None:
    """Set the due date of an assignment, or print it if WHEN is missing. The next `autograder grade` applies it."""
    from autograder.dates import due_date, set_due_date

    if given.when:
        set_due_date(course, given.assignment, " ".join(given.when))
    due = due_date(course, given.assignment)
    print(f"{given.assignment} is due at {due.isoformat(' ')}." if due else f"{given.assignment} has no due date.")


@_command(
    STUDENT,
    ASSIGNMENT,
    _argument(
        "--days",
        "days after the due date. This replaces an earlier extension, and 0 removes the extension",
        type=float,
        required=True,
        metavar="N",
    ),
)
def _extend(course: Course, given: argparse.Namespace) -> None:
    """Give a student more time for an assignment. The next `autograder grade` applies the extension."""
    from autograder.dates import extend, in_words

    due = extend(course, given.student, given.assignment, given.days)
    span = in_words(timedelta(days=given.days))
    extension = f"an extension of {span}" if span else "no extension"
    until = f"due at {due.isoformat(' ')}" if due else "no due date is set"
    print(f"{given.student} has {extension} for {given.assignment}: {until}.")


@_command(STUDENT, ASSIGNMENT, _argument("--undo", "let it count again", action="store_true"))
def _excuse(course: Course, given: argparse.Namespace) -> None:
    """Let an assignment of a student not count: Canvas gets EX, and other tables of marks an empty cell."""
    from autograder.dates import excuse

    excuse(course, given.student, given.assignment, given.undo)
    print(f"{given.student} is {'no longer ' if given.undo else ''}excused from {given.assignment}.")


@_command(
    STUDENT,
    ASSIGNMENT,
    _argument("text", "the note, which is open at first: `autograder status` lists it", nargs="*"),
    _argument("--done", "let no note about this work be open any more", action="store_true"),
)
def _note(course: Course, given: argparse.Namespace) -> None:
    """Write down a sentence about a student's work, such as why it is marked again, and print all notes about it."""
    from autograder.status import note

    found = note(course, given.student, given.assignment, " ".join(" ".join(given.text).split()), given.done)
    print(*found or ["There is no note about this work."], sep="\n")


@_command()
def _status(course: Course, given: argparse.Namespace) -> None:
    """List, for each assignment, what is handed in, marked and waiting, and all open notes."""
    from autograder.status import status

    print(*status(course), sep="\n")


def _lms(given: argparse.Namespace) -> tuple[Lms, Path]:
    from autograder.lms.exchange import Canvas, Moodle

    return (Canvas(), given.canvas) if given.canvas else (Moodle(), given.moodle)


@_command(ASSIGNMENT, _argument("archive", "the zip file of all submissions", type=Path))
def _collect(course: Course, given: argparse.Namespace) -> bool:
    """Take submissions from the archive of Canvas or Moodle. They replace what was collected before."""
    from autograder.lms.exchange import collect

    return collect(course, given.assignment, *_lms(given), given.archive)


@_command(_argument("assignment", "default: all assignments that have marks", nargs="?", default=""))
def _export(course: Course, given: argparse.Namespace) -> bool:
    """Write marks for Canvas or Moodle. They are in grading/lms/, as a CSV file that it imports."""
    from autograder.lms.exchange import export

    return export(course, given.assignment, *_lms(given))


@_command(
    ASSIGNMENT,
    _argument("--zip", "write a zip file to grading/lms/", action="store_true", required=True),
)
def _feedback(course: Course, given: argparse.Namespace) -> bool:
    """Pack the feedback pages of submissions from Canvas or Moodle, for its upload of many files."""
    from autograder.lms.exchange import pack

    return pack(course, given.assignment)


@_command(
    ASSIGNMENT,
    _argument(
        "--earlier",
        "a folder with submissions of an earlier year, as STUDENT/ASSIGNMENT/ASSIGNMENT.ipynb",
        type=Path,
        nargs="+",
        default=[],
        metavar="FOLDER",
    ),
)
def _similar(course: Course, given: argparse.Namespace) -> None:
    """Write a page with the answers that have much in common. They are compared with each other, with the solution,
    and with submissions of earlier years. The page is for the instructor."""
    from autograder.similar import similar

    page, pairs, groups = similar(course, given.assignment, given.earlier)
    print(f"Pairs of similar answers: {pairs}. Groups of equal answers: {groups}. They are in {page}.")


@_command(
    _argument("add", choices=["add"]),
    ASSIGNMENT,
    _argument("name", "of the task and of the answer's module, such as scaled_sum"),
    _argument("--points", "points for the cases that students see", required=True, metavar="N"),
    _argument("--hidden", "points for hidden cases (default: no hidden cases)", default="0", metavar="N"),
)
def _question(course: Course, given: argparse.Namespace) -> None:
    """Add a question to a solution's notebook, with its task and its hidden cases, to be filled in."""
    from autograder.question import add

    if not all(each.isdecimal() and len(each) < 4 for each in (given.points, given.hidden)):
        raise CourseError("--points and --hidden are whole numbers below 1000, and --points is 1 or more.")
    files = add(course, given.assignment, given.name, int(given.points), int(given.hidden))
    print("Fill in what FILL IN asks for in these files, then run `autograder lint`:", *files, sep="\n  ")


@_command(_argument("assignment", "default: all assignments", nargs="?", default=""))
def _lint(course: Course, given: argparse.Namespace) -> bool:
    """Check the solutions, their tasks and their hidden cases, and judge what is new or has changed."""
    from autograder.lint import lint

    faults = list(lint(course, given.assignment))
    print(*faults, f"Faults: {len(faults)}", sep="\n")
    return not faults


@_command()
def _prune(course: Course, given: argparse.Namespace) -> None:
    """Delete the stored judgements that no submission needs. They are those of answers that were replaced, and of
    earlier versions of a question or of the course. No mark and no page is changed."""
    from autograder.grade import prune

    print(f"Stored judgements deleted: {prune(course)}")


if __name__ == "__main__":
    sys.exit(main())
