"""Reads and copies files of a submission. Only regular files of bounded size are accepted, and no links."""

import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from nbgrader.apps.api import NbGraderAPI
from nbgrader.converters import Autograde, BaseConverter, GenerateFeedback
from nbgrader.coursedir import CourseDirectory
from nbgrader.utils import parse_utc

RECEIPT = ("timestamp.txt", "submission_secret.txt")
RECEIPT_BOUND = 1000  # bytes; nbgrader writes 30 bytes to the first file and 64 to the second

copy_all_files = BaseConverter.init_assignment


class NotTaken(Exception):
    """A file of a submission is not accepted. The message says why."""


@dataclass(frozen=True)
class Receipt:
    """The files that `nbgrader collect` puts beside a notebook: the time, and the secret for fetching feedback.

    `files` has the content of each file as bytes, by the file's name. `time` is in UTC, or None if it is not known.
    `problems` has one sentence for each file that exists but cannot be used.
    """

    files: Mapping[str, bytes]
    time: datetime | None
    problems: tuple[str, ...]

    @classmethod
    def read(cls, folder: Path) -> "Receipt":
        """The receipt in the folder of a submission, or in a folder that nbgrader made from it."""
        files, time, problems = {}, None, []
        for name in RECEIPT:
            try:
                content = read_regular(folder / name, RECEIPT_BOUND)
                text = content.decode()
                files[name] = content
                if name == "timestamp.txt" and text.strip():
                    time = parse_utc(text.strip())
            except (FileNotFoundError, NotADirectoryError):
                continue
            except NotTaken as error:
                problems.append(str(error))
            except OSError as error:
                problems.append(f"{name} cannot be read ({error.strerror}).")
            except UnicodeDecodeError:
                problems.append(f"{name} is not UTF-8 text.")
            except (ValueError, OverflowError, TypeError):  # dateutil's parser raises all of them
                problems.append(f"{name} has no date and time, so it is not known whether the work is late.")
        return cls(files, time, tuple(dict.fromkeys(problems)))


def read_regular(path: Path, bound: int, folders: int = 2) -> bytes:
    """The content of a file in the folder of a submission.

    Raises OSError if the file cannot be read, and NotTaken if it is a link, is not a regular file, or is larger than
    `bound` bytes. A link could lead to the solutions, to another student's work, or to an endless device. The `folders`
    folders above the file, of which the last is the student's, must not be links either.
    """
    for folder in path.parents[:folders]:
        if folder.is_symlink():
            raise NotTaken(f"The folder {folder.name} is a link: hand in the files themselves.")
    status = path.lstat()
    if stat.S_ISLNK(status.st_mode):
        raise NotTaken(f"{path.name} is a link: hand in the file itself.")
    if not stat.S_ISREG(status.st_mode):
        raise NotTaken(f"{path.name} is not a regular file: hand in the file that Jupyter saved.")
    if status.st_size > bound:
        size = f"{bound >> 20} MiB" if bound >> 20 else f"{bound} bytes"
        advice = ": clear its outputs" if path.suffix.lower() == ".ipynb" else ""
        raise NotTaken(f"{path.name} is larger than {size}{advice}.")
    descriptor = os.open(
        path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK
    )  # since lstat, a link may have replaced the file
    with open(descriptor, "rb") as file:
        return file.read(bound)


def copy_receipts_alone() -> None:
    """Make nbgrader copy only receipts, first from submissions to autograded notebooks, then to feedback pages.

    Without this function, nbgrader copies every file, follows links, reads any timestamp.txt, and fails if that file
    has no time. No setting of nbgrader changes this, so its methods are replaced. A second call does nothing.
    """
    BaseConverter.init_assignment = _init_assignment
    CourseDirectory.get_existing_timestamp = _get_existing_timestamp
    NbGraderAPI.get_submitted_timestamp = _get_submitted_timestamp


def _init_assignment(converter: BaseConverter, assignment: str, student: str) -> None:
    if not isinstance(converter, (Autograde, GenerateFeedback)):  # it copies the instructor's own files
        return copy_all_files(converter, assignment, student)
    target = Path(converter._format_dest(assignment, student))
    target.mkdir(parents=True, exist_ok=True)
    for name, content in Receipt.read(Path(converter._format_source(assignment, student))).files.items():
        (target / name).unlink(missing_ok=True)
        (target / name).write_bytes(content)
    course = converter.coursedir
    source = Path(course.format_path(course.source_directory, ".", assignment))
    names = sorted(path.name for path in source.glob("*.ipynb"))
    if isinstance(converter, Autograde) and not any(Path(path).name in names for path in converter.notebooks):
        folder = converter._format_source(assignment, student)  # its notebook was renamed, and is found there
        converter.notebooks = [str(Path(folder, name)) for name in names]


def _get_existing_timestamp(course: CourseDirectory, folder: str) -> datetime | None:
    receipt = Receipt.read(Path(folder))
    for problem in receipt.problems:
        course.log.warning("%s: %s", folder, problem)
    return receipt.time


def _get_submitted_timestamp(api: NbGraderAPI, assignment: str, student: str) -> datetime | None:
    course = api.coursedir
    return _get_existing_timestamp(course, course.format_path(course.submitted_directory, student, assignment))
