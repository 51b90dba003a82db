"""The command line: `course lab`, `course doctor`, `course judge`, `course status` and `course reset`."""

import argparse
import io
import json
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path

from course.doctor import TOOLCHAINS, doctor
from course.errors import CourseError
from course.prepare import platform_problem

CORRECT, WRONG, MISUSE, CANNOT_JUDGE = 0, 1, 2, 3


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command, and return its exit status.

    The status is 0 if the answer is correct, a toolchain works, or the command did its work. It is 1 if the answer is
    wrong, no toolchain works, or a notebook could not be read. It is 2 for a wrong command, and 3 if the answer could
    not be judged.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # so that no locale makes printing ✓ fail
    own = list(sys.argv[1:] if arguments is None else arguments)
    of_jupyter = own[own.index("--") + 1 :] if own[:1] == ["lab"] and "--" in own else []
    options = _parser().parse_args(own[: len(own) - len(of_jupyter)])
    if options.command == "doctor":
        return doctor()
    if options.command in ("status", "reset"):
        return _on_notebooks(options)
    if problem := platform_problem():
        return _refused(problem, CANNOT_JUDGE)
    if options.command == "lab":
        return _lab(options.folder, of_jupyter)
    try:
        return _judge(options)
    except Exception:  # else Python would exit with 1, the status of a wrong answer
        traceback.print_exc()
        return CANNOT_JUDGE


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="course", description="Judge CUDA kernels, with or without a GPU.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    command = commands.add_parser(
        "lab",
        help="copy the notebooks to a folder, and open JupyterLab there",
        usage="course lab [FOLDER] [-- OPTIONS OF JUPYTERLAB]",
    )
    command.add_argument("folder", nargs="?", metavar="FOLDER", help="default: lab; a learner's work is never changed")
    commands.add_parser("doctor", help="show what this machine has, which toolchains work, and how to fix the others")
    command = commands.add_parser(
        "judge",
        help="judge a KernelBench script against a task",
        epilog="Exit status: 0 if the answer is correct, 1 if it is not, 2 for a wrong command, "
        "3 if the answer could not be judged.",
    )
    command.add_argument("candidate", type=_script, metavar="CANDIDATE.py", help="a script that defines ModelNew")
    command.add_argument(
        "--task", required=True, metavar="NAME|TASK.py", help="a task's name, or the path of a task file"
    )
    command.add_argument("--toolchain", choices=TOOLCHAINS, help="default: nvcc if there is a GPU, otherwise emulator")
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
    command.add_argument(
        "folder", nargs="?", metavar="FOLDER", help="default: the folder lab if it exists, otherwise the current folder"
    )
    command = commands.add_parser("reset", help="put the released notebook back, and keep your version beside it")
    command.add_argument("notebook", metavar="NOTEBOOK.ipynb")
    command.add_argument(
        "cell", nargs="?", metavar="ANSWER", help="restore only this answer (`course status` lists the names)"
    )
    return parser


def _script(path: str) -> str:
    """Return the text of the script at `path`."""
    if Path(path).suffix in (".cu", ".cuh", ".cpp"):
        raise argparse.ArgumentTypeError(
            f"{path} is C++ or CUDA source, but this command judges Python scripts: write a script whose ModelNew "
            "builds the source with load_inline, or judge the source with `check` in a notebook"
        )
    try:
        return Path(path).read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise argparse.ArgumentTypeError(f"{path} is not UTF-8 text") from None
    except OSError as error:
        raise argparse.ArgumentTypeError(f"{path} cannot be read: {error.strerror}") from None


def _size(text: str) -> tuple[str, int]:
    """Split NAME=VALUE into a name and a whole number."""
    name, _, value = text.partition("=")
    if not name.isidentifier() or not value.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=VALUE with a whole number, such as N=1000")
    return name, int(value)


def _on_notebooks(options: argparse.Namespace) -> int:
    """Run `course status` or `course reset`, and return the exit status."""
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


def _lab(folder: str | None, options: Sequence[str]) -> int:
    """Become JupyterLab, or return the exit status of a failure."""
    from course.notebook.lab import lab

    try:
        lab(folder, options)
    except CourseError as error:
        return _refused(str(error), MISUSE)
    return CORRECT


def _judge(options: argparse.Namespace) -> int:
    """Judge the script, print the verdict, and return the exit status."""
    from course.toolchains.pytorch import pytorch_problem

    if problem := pytorch_problem():
        return _refused(problem, CANNOT_JUDGE)
    from course.referee.judge import judge
    from course.tasks import Case, TaskError, load_task
    from course.worker.protocol import Answer
    from course.worker.server import own_server

    own_server().start()  # it imports PyTorch meanwhile
    sizes = dict(options.set)
    # The requested sizes are judged with two draws of inputs, to catch an answer that returns its first result again.
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
