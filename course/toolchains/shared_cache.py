"""The shared part of the build cache, `COURSE_CACHE_BASE`. It is only read, and only if no student can write to it.

A library that is loaded from it runs with the rights of the user who loads it. Each file, and each folder on its path,
must therefore belong to root or to the owner of the installed course, and nobody else may have permission to write it.
The same holds for the target of a link.
"""

from __future__ import annotations

import functools
import os
import stat
import warnings
from collections.abc import Iterable
from pathlib import Path

OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH
NOBODY = 65534  # in a user namespace, the owner of every file whose real owner is outside of it


def shared_build(kind: str, name: str) -> Path | None:
    """The folder `name` among the builds of a kind in the base; None if there is no base or no such folder.

    A base that others can write is not used, and a warning says so: an administrator's mistake costs a class seconds,
    but does not stop it.
    """
    base = shared_base()
    if not base:
        return None
    folder, problem = base / kind / name, base_problem(base)
    if not problem:
        if not os.path.isdir(folder):
            return None
        problem = _first(_problem_of(path) for path in (folder.parent, folder, *folder.rglob("*")))
    if problem:
        _warn(f"{problem} The shared build cache is not used.")
        return None
    return folder


def shared_base() -> Path | None:
    """The folder that `COURSE_CACHE_BASE` names, with links resolved; None if it is not set."""
    given = os.environ.get("COURSE_CACHE_BASE")
    return Path(given).resolve() if given else None


def base_problem(base: Path) -> str:
    """Why nothing in `base` can be trusted, with the fix, in one sentence; "" if it can be trusted.

    Its path may contain a folder such as /tmp, in which nobody can rename the files of others.
    """
    if not os.path.isdir(base):
        return f"COURSE_CACHE_BASE names {base}, which is not a folder or cannot be read: fill it with `course doctor`."
    return _problem_on_way_to(base)


def _problem_on_way_to(path: Path) -> str:
    return _problem_of(path) or _first(_problem_of(each, sticky=True) for each in path.parents)


def _first(problems: Iterable[str]) -> str:
    """The first problem; "" if none of the places has one."""
    return next((problem for problem in problems if problem), "")


def _problem_of(path: Path, sticky: bool = False) -> str:
    try:
        status = path.lstat()
    except OSError as error:
        return f"{path} cannot be read: {error.strerror}."
    if status.st_uid not in trusted_owners():
        return f"{path} belongs neither to root nor to the owner of the course: let root own it (chown -R root)."
    if stat.S_ISLNK(status.st_mode):  # a link has no permissions of its own
        return _problem_behind(path)
    if writable_by_others(status, sticky):
        return f"{path} can be written by users other than its owner: remove this permission (chmod -R go-w)."
    return ""


def writable_by_others(status: os.stat_result, sticky: bool) -> bool:
    """Whether users other than its owner may write to a file or folder. `sticky` leaves out sticky folders."""
    return bool(status.st_mode & OTHERS_WRITE) and not (sticky and status.st_mode & stat.S_ISVTX)


def _problem_behind(link: Path) -> str:
    """The problem of the target of `link`, which may be another link, or of a folder on the way to it."""
    if not os.path.exists(link):
        return f"{link} is a link to a file that cannot be read: remove the link."
    return _problem_on_way_to(link.parent / os.readlink(link))


@functools.cache
def trusted_owners() -> frozenset[int]:
    """Root and the owner of the installed course, who can make each user run code in any case."""
    return frozenset({0, Path(__file__).stat().st_uid} - {NOBODY})


@functools.cache
def _warn(text: str) -> None:
    """Warn once per process, not once per build."""
    warnings.warn(text, stacklevel=4)
