"""Which files of a submission are read: regular ones of bounded size, no links; nbgrader copies no others."""

from __future__ import annotations

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
RECEIPT_BOUND = 1000  # bytes: nbgrader writes 30 and 64

copy_all_files = BaseConverter.init_assignment


class NotTaken(Exception):
    """A file of a submission is not read. The text gives the reason in one sentence."""


@dataclass(frozen=True)
class Receipt:
    """What `nbgrader collect` puts beside a notebook: the time, and the secret with which feedback is fetched.

    `files` holds the bytes by name, `time` is in UTC (None where it is not known), and `problems` has one sentence for
    each file that is there and cannot be used.
    """

    files: Mapping[str, bytes]
    time: datetime | None
    problems: tuple[str, ...]

    @classmethod
    def read(cls, folder: Path) -> Receipt:
        """The receipt in the folder of a submission, or in what nbgrader has made of it."""
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
            except (ValueError, OverflowError, TypeError):  # all of them come from dateutil's parser
                problems.append(f"{name} has no date and time, so it is unknown whether the work is late.")
        return cls(files, time, tuple(dict.fromkeys(problems)))


def read_regular(path: Path, bound: int) -> bytes:
    """The content of a file in the folder of a submission.

    Raises OSError, and NotTaken where it is larger than `bound` bytes, not a regular file, or a link. A link could lead
    to the solutions, to the work of others, or to an endless device. The same holds for the two folders above, one of
    which is the student's.
    """
    for folder in path.parents[:2]:
        if folder.is_symlink():
            raise NotTaken(f"The folder {folder.name} is a link: hand in the files themselves.")
    status = path.lstat()
    if stat.S_ISLNK(status.st_mode):
        raise NotTaken(f"{path.name} is a link: hand in the file itself.")
    if not stat.S_ISREG(status.st_mode):
        raise NotTaken(f"{path.name} is not a regular file: hand in the file that Jupyter saved.")
    if status.st_size > bound:
        size = f"{bound >> 20} MiB" if bound >> 20 else f"{bound} bytes"
        advice = ": clear its outputs" if path.suffix == ".ipynb" else ""
        raise NotTaken(f"{path.name} is larger than {size}{advice}.")
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)  # it may have been replaced since
    with open(descriptor, "rb") as file:
        return file.read(bound)


def copy_receipts_alone() -> None:
    """Have nbgrader copy only receipts from submissions to autograded notebooks, and from these to feedback.

    nbgrader copies every file and follows links, reads any timestamp.txt, and fails where it holds no time. None of its
    settings changes that, so its methods are replaced. Called a second time, this does nothing.
    """
    BaseConverter.init_assignment = _init_assignment
    CourseDirectory.get_existing_timestamp = _get_existing_timestamp
    NbGraderAPI.get_submitted_timestamp = _get_submitted_timestamp


def _init_assignment(converter: BaseConverter, assignment: str, student: str) -> None:
    if not isinstance(converter, (Autograde, GenerateFeedback)):  # the instructor's own files
        return copy_all_files(converter, assignment, student)
    target = Path(converter._format_dest(assignment, student))
    target.mkdir(parents=True, exist_ok=True)
    for name, content in Receipt.read(Path(converter._format_source(assignment, student))).files.items():
        (target / name).unlink(missing_ok=True)
        (target / name).write_bytes(content)


def _get_existing_timestamp(course: CourseDirectory, folder: str) -> datetime | None:
    receipt = Receipt.read(Path(folder))
    for problem in receipt.problems:
        course.log.warning("%s: %s", folder, problem)
    return receipt.time


def _get_submitted_timestamp(api: NbGraderAPI, assignment: str, student: str) -> datetime | None:
    course = api.coursedir
    return _get_existing_timestamp(course, course.format_path(course.submitted_directory, student, assignment))
