"""The build cache: one folder a build, named by a hash of all that decides its content."""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

from course.toolchains.base import BuildError, CourseError


def cache_root() -> Path:
    """Where builds are kept: `COURSE_CACHE`, else the user's cache folder."""
    given = os.environ.get("COURSE_CACHE")
    if given:
        return Path(given)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "cuda-kernels-course"


def cached(kind: str, key: str, build: Callable[[Path], None]) -> Path:
    """The folder that `build` filled for `key`, from the cache or made now.

    `build` works in a folder of its own that is renamed when it is done, so a build that failed or was killed leaves
    nothing a later one could take for finished. A failed build's log is kept. Raises what `build` raises, and
    CourseError where the cache cannot be written.
    """
    parent = cache_root() / kind
    final = parent / hashlib.sha256(key.encode()).hexdigest()[:24]
    if final.is_dir():
        return final
    work = _working_folder(parent)
    try:
        build(work)
    except BuildError as error:
        error.log = _keep_log(work, parent) or error.log
        raise
    except BaseException:
        shutil.rmtree(work, ignore_errors=True)
        raise
    try:
        work.rename(final)
    except OSError:  # another process was faster
        shutil.rmtree(work, ignore_errors=True)
    return final


def require_writable() -> None:
    """Raise CourseError where the cache cannot be written: a judge's failure, not that of the answer to be built."""
    _working_folder(cache_root()).rmdir()


def _working_folder(parent: Path) -> Path:
    try:
        parent.mkdir(parents=True, exist_ok=True)
        return Path(tempfile.mkdtemp(prefix="building-", dir=parent))
    except OSError as error:
        raise CourseError(
            f"The build cache {parent} cannot be written ({error.strerror}): set COURSE_CACHE to a folder that can."
        ) from None


def _keep_log(work: Path, parent: Path) -> Path | None:
    log = work / "build.log"
    kept = None
    if log.exists():
        kept = parent / "last-failure.log"
        log.replace(kept)
    shutil.rmtree(work, ignore_errors=True)
    return kept
