"""The command `autograder`, for instructors. Run it in the folder of an nbgrader course."""

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from course.errors import CourseError

if TYPE_CHECKING:
    from autograder.gradebook import Course

FAILED, MISUSED, INTERRUPTED = 1, 2, 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status.

    0: the command succeeded. 1: a submission needs attention. 2: an error ended the command. 130: stopped with Ctrl-C.
    """
    given = _parser().parse_args(arguments)
    try:
        _require_nbgrader()
        return given.run(given) or 0
    except CourseError as error:
        print(error, file=sys.stderr)
        return MISUSED
    except KeyboardInterrupt:
        print("\nStopped. The judgements so far are stored. Run the same command to continue.", flush=True)
        os._exit(INTERRUPTED)  # a normal exit would wait for the answers that are being judged


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="autograder", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)

    def command(run: Callable[[argparse.Namespace], int | None], brief: str, about: str) -> argparse.ArgumentParser:
        """The parser of the command that has the name of its function."""
        added = commands.add_parser(run.__name__.removeprefix("_"), help=brief, description=about)
        added.set_defaults(run=run)
        return added

    about = "Judge submissions, and write marks and feedback. If it is stopped, run the same command to continue."
    grade = command(_grade, "mark an assignment", about)
    grade.add_argument("assignment", nargs="+")
    grade.add_argument("--student", default="", help="grade only this student")
    grade.add_argument("--again", action="store_true", help="judge all answers again; manual marks are kept")
    listed = "judge, and list the marks that would change, but write none of them"
    grade.add_argument("--dry-run", action="store_true", help=listed)
    grade.add_argument("--question", default="", metavar="GRADE_ID", help="with --again: judge only this answer again")
    number = "number of answers judged at the same time (default: one per core)"
    grade.add_argument("--jobs", dest="workers", type=int, default=0, metavar="N", help=number)
    cluster = "judge on the Dask cluster whose scheduler has this address; local: start one here"
    grade.add_argument("--cluster", default="", metavar="ADDRESS", help=cluster)
    unsafe = "run the answers without a sandbox, with all your permissions"
    grade.add_argument("--no-sandbox", action="store_true", help=unsafe)

    about = (
        "Write an HTML page about an assignment, with marks, questions, causes of mistakes, and what needs attention, "
        "or about the course and each of its assignments. Each table is also a CSV file. No other file is changed."
    )
    brief = "write a page about an assignment or the course, for the instructor"
    report = command(_report, brief, about)
    report.add_argument("assignment", nargs="?", default="", help="default: the course and all assignments with marks")
    shown = "write a page that can be shown to the class, without names and hidden inputs"
    report.add_argument("--projection", action="store_true", help=shown)

    about = (
        "Set the due date of an assignment, or print it if WHEN is missing. The next `autograder grade` applies a new "
        "date."
    )
    due = command(_due, "set or print a due date", about)
    due.add_argument("assignment")
    zones = "such as 2026-12-01 18:00 Europe/Berlin (default zone: this machine's), or none to remove the due date"
    due.add_argument("when", nargs="*", help=zones)

    about = "Give a student more time for an assignment. The next `autograder grade` applies the extension."
    extend = command(_extend, "give a student more time", about)
    extend.add_argument("student")
    extend.add_argument("assignment")
    days = "days after the due date. This replaces an earlier extension, and 0 removes the extension"
    extend.add_argument("--days", type=float, required=True, metavar="N", help=days)

    about = "Let an assignment of a student not count: Canvas gets EX, and other tables of marks an empty cell."
    excuse = command(_excuse, "let a student's assignment not count", about)
    excuse.add_argument("student")
    excuse.add_argument("assignment")
    excuse.add_argument("--undo", action="store_true", help="let it count again")

    about = (
        "Write down a sentence about a student's work, such as why it is marked again, and print all notes about it."
    )
    note = command(_note, "write or print notes about a student's work", about)
    note.add_argument("student")
    note.add_argument("assignment")
    note.add_argument("text", nargs="*", help="the note, which is open at first: `autograder status` lists it")
    note.add_argument("--done", action="store_true", help="let no note about this work be open any more")

    about = "List, for each assignment, what is handed in, marked and waiting, and all open notes."
    command(_status, "list what is handed in, marked and waiting", about)

    about = "Take submissions from an LMS's archive. They replace what was collected before."
    collect = command(_collect, "take submissions from Canvas or Moodle", about)
    collect.add_argument("assignment")
    collect.add_argument("archive", type=Path, help="the zip file of all submissions")
    about = "Write marks to grading/lms/, as a CSV file that an LMS imports."
    export = command(_export, "write marks for Canvas or Moodle", about)
    export.add_argument("assignment", nargs="?", default="", help="default: all assignments that have marks")
    for each in (collect, export):
        roster = each.add_mutually_exclusive_group(required=True)
        roster.add_argument("--canvas", type=Path, metavar="ROSTER.csv", help="the export of Canvas's gradebook")
        roster.add_argument("--moodle", type=Path, metavar="WORKSHEET.csv", help="Moodle's grading worksheet")

    about = "Write the feedback pages of the submissions that were collected from an LMS, for its upload of many files."
    feedback = command(_feedback, "pack feedback pages for Canvas or Moodle", about)
    feedback.add_argument("assignment")
    feedback.add_argument("--zip", action="store_true", required=True, help="write a zip file to grading/lms/")

    about = (
        "Write an HTML page for the instructor with the answers that have much in common with each other, with the "
        "solution, or with submissions of earlier years."
    )
    similar = command(_similar, "find answers that were copied", about)
    similar.add_argument("assignment")
    folders = "a folder with submissions of an earlier year, as STUDENT/ASSIGNMENT/ASSIGNMENT.ipynb"
    similar.add_argument("--earlier", type=Path, nargs="+", default=[], metavar="FOLDER", help=folders)

    about = "Write a new question into a solution's notebook, with its task and its hidden cases, to be filled in."
    question = command(_question, "add a question to an assignment", about)
    add = question.add_subparsers(metavar="add", required=True).add_parser("add", description=about)
    add.add_argument("assignment")
    add.add_argument("name", help="of the task and of the answer's module, such as scaled_sum")
    add.add_argument("--points", required=True, metavar="N", help="points for the cases that students see")
    add.add_argument("--hidden", default="0", metavar="N", help="points for hidden cases (default: no hidden cases)")

    about = "Check the solutions, their tasks and their hidden cases, and judge what is new or has changed."
    lint = command(_lint, "check an edited course before its release", about)
    lint.add_argument("assignment", nargs="?", default="", help="default: all assignments")

    about = (
        "Delete the stored judgements that no submission needs: of answers that were replaced, and of earlier versions "
        "of a question or of the course. No mark and no page is changed."
    )
    command(_prune, "delete judgements that are out of date", about)
    return parser


def _require_nbgrader() -> None:
    try:
        import nbgrader  # noqa: F401
    except ModuleNotFoundError:
        raise CourseError(
            "The autograder needs nbgrader: run pip install -e '.[class]' in a clone of the course."
        ) from None


# Each command imports what it needs: nbgrader and PyTorch take seconds, and a due date needs no PyTorch.


def _course(*options: Any) -> "Course":
    from autograder.gradebook import Course

    return Course(*options)


def _grade(given: argparse.Namespace) -> int:
    if given.question and not given.again:
        raise CourseError("--question needs --again: write --again --question GRADE_ID.")
    if given.workers < 0 or (given.workers and given.cluster):
        raise CourseError("--jobs must be 1 or more, and cannot be used with --cluster.")
    if given.no_sandbox:
        print(
            "Warning: with --no-sandbox, answers run like your own programs and can do everything that you can do.",
            file=sys.stderr,
        )
    from autograder.grade import grade
    from autograder.judging.cluster import Cluster

    with Cluster(given.cluster) if given.cluster else nullcontext() as cluster:
        course = _course(not given.no_sandbox, cluster)
        for assignment in given.assignment:
            course.notebooks(assignment)
        names = ("student", "question", "again", "workers", "dry_run")
        options = {name: getattr(given, name) for name in names}
        done = [grade(course, assignment, **options) for assignment in given.assignment]
    return 0 if all(done) else FAILED


def _report(given: argparse.Namespace) -> None:
    from autograder.report import Assignment, course_report, report

    course, projection = _course(), given.projection
    of = given.assignment
    page = report(Assignment(course, of), projection) if of else course_report(course, projection)
    print(f"Report: {page}")


def _due(given: argparse.Namespace) -> None:
    from autograder.dates import due_date, set_due_date

    course = _course()
    if given.when:
        set_due_date(course, given.assignment, " ".join(given.when))
    due = due_date(course, given.assignment)
    print(f"{given.assignment} is due at {due.isoformat(' ')}." if due else f"{given.assignment} has no due date.")


def _extend(given: argparse.Namespace) -> None:
    from autograder.dates import extend, in_words

    due = extend(_course(), given.student, given.assignment, given.days)
    span = in_words(timedelta(days=given.days))
    extension = f"an extension of {span}" if span else "no extension"
    until = f"due at {due.isoformat(' ')}" if due else "no due date is set"
    print(f"{given.student} has {extension} for {given.assignment}: {until}.")


def _excuse(given: argparse.Namespace) -> None:
    from autograder.dates import excuse

    excuse(_course(), given.student, given.assignment, given.undo)
    print(f"{given.student} is {'no longer ' if given.undo else ''}excused from {given.assignment}.")


def _note(given: argparse.Namespace) -> None:
    from autograder.status import note

    found = note(_course(), given.student, given.assignment, " ".join(given.text), given.done)
    print(*found or ["There is no note about this work."], sep="\n")


def _status(given: argparse.Namespace) -> None:
    from autograder.status import status

    print(*status(_course()), sep="\n")


def _collect(given: argparse.Namespace) -> int:
    from autograder.lms.exchange import Canvas, Moodle, collect

    lms = Canvas() if given.canvas else Moodle()
    done = collect(_course(), given.assignment, lms, given.canvas or given.moodle, given.archive)
    return 0 if done else FAILED


def _export(given: argparse.Namespace) -> int:
    from autograder.lms.exchange import Canvas, Moodle, export

    lms = Canvas() if given.canvas else Moodle()
    return 0 if export(_course(), given.assignment, lms, given.canvas or given.moodle) else FAILED


def _feedback(given: argparse.Namespace) -> int:
    from autograder.lms.exchange import pack

    return 0 if pack(_course(), given.assignment) else FAILED


def _similar(given: argparse.Namespace) -> None:
    from autograder.similar import similar

    page, pairs, groups = similar(_course(), given.assignment, given.earlier)
    print(f"Pairs of similar answers: {pairs}. Groups of equal answers: {groups}. They are in {page}.")


def _question(given: argparse.Namespace) -> None:
    from autograder.question import add

    if not (given.points.isdecimal() and given.hidden.isdecimal()):
        raise CourseError("--points and --hidden are whole numbers: --points is 1 or more, and --hidden 0 or more.")
    files = add(_course(), given.assignment, given.name, int(given.points), int(given.hidden))
    print("Fill in what FILL IN asks for in these files, then run `autograder lint`:", *files, sep="\n  ")


def _lint(given: argparse.Namespace) -> int:
    from autograder.lint import lint

    faults = list(lint(_course(), given.assignment))
    print(*faults, f"Faults: {len(faults)}", sep="\n")
    return FAILED if faults else 0


def _prune(given: argparse.Namespace) -> None:
    from autograder.grade import prune

    print(f"Stored judgements deleted: {prune(_course())}")


if __name__ == "__main__":
    sys.exit(main())
