"""`course doctor`, `judge`, `status` and `reset`: what the command line offers."""

from __future__ import annotations

import argparse
import io
import json
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path

from course.device import platform_problem
from course.doctor import TOOLCHAINS, doctor
from course.errors import CourseError

CORRECT, WRONG, MISUSE, CANNOT_JUDGE = 0, 1, 2, 3


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; the exit status is 0 for correct (or a healthy machine), 1 not, 2 misuse, 3 could not judge."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a locale without ✓ must not decide the exit status
    options = _parser().parse_args(arguments)
    if options.command == "doctor":
        return doctor()
    if options.command in ("status", "reset"):
        return _on_notebooks(options)
    if problem := platform_problem():
        return _refused(problem, CANNOT_JUDGE)
    try:
        return _judge(options)
    except Exception:  # Python's own exit status, 1, would say that the script was judged
        traceback.print_exc()
        return CANNOT_JUDGE


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="course", description="Judge CUDA kernels, with or without a GPU.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    commands.add_parser("doctor", help="show what this machine has, which toolchains work, and how to fix the others")
    command = commands.add_parser(
        "judge",
        help="judge a KernelBench script against a task",
        epilog="Exit status: 0 correct, 1 not correct, 2 misuse, 3 could not judge.",
    )
    command.add_argument("candidate", type=_script, metavar="CANDIDATE.py", help="a script that defines ModelNew")
    command.add_argument("--task", required=True, metavar="NAME|TASK.py", help="a task of the course, or a task file")
    command.add_argument("--toolchain", choices=TOOLCHAINS, help="default: nvcc where there is a GPU, else emulator")
    command.add_argument(
        "--set",
        type=_size,
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a size of the task; may be repeated",
    )
    command.add_argument("--json", action="store_true", help="print the verdict as one JSON object")
    command = commands.add_parser("status", help="show the points of your saved notebooks, and what is missing")
    command.add_argument("folder", nargs="?", metavar="FOLDER", help="default: lab, else the current folder")
    command = commands.add_parser("reset", help="restore a released notebook, and keep yours beside it")
    command.add_argument("notebook", metavar="NOTEBOOK.ipynb")
    command.add_argument("cell", nargs="?", metavar="CELL", help="only this answer, by its name in `course status`")
    return parser


def _script(path: str) -> str:
    """The text of the script at `path`."""
    if Path(path).suffix in (".cu", ".cuh", ".cpp"):
        raise argparse.ArgumentTypeError(
            f"{path} is C++ or CUDA source: write a Python script whose ModelNew calls it through load_inline, and "
            "judge that, or judge the source with `check` in a notebook"
        )
    try:
        return Path(path).read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise argparse.ArgumentTypeError(f"{path} is not UTF-8 text") from None
    except OSError as error:
        raise argparse.ArgumentTypeError(f"{path} cannot be read: {error.strerror}") from None


def _size(text: str) -> tuple[str, int]:
    """NAME=VALUE as a pair."""
    name, _, value = text.partition("=")
    if not name.isidentifier() or not value.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=VALUE with a whole number, such as N=1000")
    return name, int(value)


def _on_notebooks(options: argparse.Namespace) -> int:
    """`course status` or `course reset`; the exit status."""
    from course.notebook.reset import reset
    from course.notebook.status import status

    try:
        if options.command == "reset":
            print(reset(options.notebook, options.cell))
            return CORRECT
        text, readable = status(options.folder)
    except CourseError as error:
        return _refused(str(error), MISUSE)
    print(text)
    return CORRECT if readable else WRONG


def _judge(options: argparse.Namespace) -> int:
    """Judge the script and print the verdict; the exit status."""
    from course.toolchains.pytorch import pytorch_problem

    if problem := pytorch_problem():
        return _refused(problem, CANNOT_JUDGE)
    from course.referee.judge import judge
    from course.tasks import Case, TaskError, load_task
    from course.worker.protocol import Answer
    from course.worker.server import warm

    warm()
    sizes = dict(options.set)
    # Judge the requested sizes with two draws, so that no result can be kept from one draw to the next.
    cases = [Case(sizes), Case(sizes)] if sizes else None
    say = _print_progress if sys.stderr.isatty() else None
    answer = Answer("candidate", options.candidate)
    try:
        task = load_task(options.task, sizes)
        verdict = judge(answer, task, cases=cases, toolchain=options.toolchain, timed=True, progress=say)
    except TaskError as error:
        return _refused(str(error), MISUSE)
    except CourseError as error:
        return _refused(str(error), CANNOT_JUDGE)
    print(json.dumps(verdict.to_json()) if options.json else verdict.text())
    return CORRECT if verdict.correct else WRONG


def _print_progress(line: str) -> None:
    print(f"{line} …", file=sys.stderr)


def _refused(message: str, status: int) -> int:
    print(f"course: {message}", file=sys.stderr)
    return status


if __name__ == "__main__":
    sys.exit(main())
