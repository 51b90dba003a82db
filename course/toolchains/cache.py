"""The build cache: one folder per build, named by a hash of all that decides its content.

Its shared part, `COURSE_CACHE_BASE`, is only read, and only if no student can write to it. A library that is loaded
from it runs with the rights of the user who loads it. Each file, and each folder on its path, must therefore belong to
root or to the owner of the installed course, and nobody else may have permission to write it. The same holds for the
target of a link.
"""

import contextlib
import errno
import fcntl
import functools
import hashlib
import json
import math
import os
import re
import shutil
import stat
import tempfile
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from course.errors import BuildError, CourseError

ROOM = 4 << 30  # bytes that the cache may use; each update adds 40 MB of precompiled headers for the emulator
IN_USE = 3600.0  # s that a folder stays after its last use, since a process may be about to load from it
NEEDED = 32 << 20  # bytes; if they can be written, a compiler did not fail for lack of room
UNFINISHED = "course-building-"  # the start of the names of folders that are not complete
RECORD = "record.json"  # in each folder, written last: what its files contain, and what the build has read
READS = "reads"  # a build's list of what it has read of the user: a path per line
HASHED = 32 << 20  # bytes; for a larger file, which is only ever a precompiled header, size and time must do
OWN = re.compile(rf"[0-9a-f]{{24}}|{UNFINISHED}[\w-]+")  # the names of the cache's folders
OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH
NOBODY = 65534  # in a user namespace, the owner of every file whose real owner is outside of it


def cache_root() -> Path:
    """The folder for builds: `COURSE_CACHE`, else in the user's cache folder."""
    given = os.environ.get("COURSE_CACHE")
    if given:
        return Path(given)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "cuda-kernels-course"


def cached(kind: str, key: str, build: Callable[[Path], None]) -> Path:
    """Find the build for a key in the shared base or in the user's own cache, or build it there now.

    A build that failed or was killed leaves nothing that a later build could take for a finished build, and a build
    whose files are damaged is replaced. The log of a failed build is kept.

    `kind` is the part of the cache, a folder's name, and `key` is everything that decides the content, except files of
    the user. `build` fills the folder that is passed to it, which is then renamed. If it reads files of the user, it
    lists their paths in the file READS. The build is found again while these files are as they were. For each state in
    which they were built, the cache keeps a folder. Raises CourseError if the cache cannot be written, its disk is
    full, or other users can write to it, and what `build` raises.
    """
    parent, name = cache_root() / kind, _name(key)
    while entry := _entry(kind, name):
        folder, reads = entry
        now = {path: _content(path) for path, _ in reads}
        if all(now[path] == then for path, then in reads):
            return folder
        # Another folder, and not the same one, because a library of this process may have been loaded from it.
        name = _name(f"{name} {sorted(now.items())}")
    final, began = parent / name, time.time_ns()
    work = working_folder(parent)
    try:
        build(work)
        _write_record(work, began)
    except BaseException as error:
        full = _is_full(error, parent)
        if isinstance(error, BuildError) and not full:
            error.log = _keep_log(work, parent) or error.log
        shutil.rmtree(work, ignore_errors=True)
        if full:
            raise CourseError(
                f"The disk with the build cache {parent.parent} is full: make room there, or set COURSE_CACHE to a "
                "folder on another disk."
            ) from None
        raise
    work.chmod(0o755)  # so that a sandbox can load from it as another user
    for path in work.rglob("*"):
        if not path.is_symlink():
            path.chmod(path.stat().st_mode & ~OTHERS_WRITE)  # whatever the umask
    broken, was_faster = work.with_name(f"{work.name}-broken"), False
    with _alone_in(parent), contextlib.suppress(OSError):
        was_faster = _read_by(final) is not None  # another process
        if not was_faster:
            if final.exists():
                final.rename(broken)
            work.rename(final)
    for left in (work, broken):
        shutil.rmtree(left, ignore_errors=True)
    _make_room(parent.parent)
    return cached(kind, key, build) if was_faster else final  # which may have read other files


def _name(text: str) -> str:
    return hashlib.sha256(text.encode(errors="surrogateescape")).hexdigest()[:24]


def _entry(kind: str, name: str) -> tuple[Path, list[list[str]]] | None:
    """The undamaged build `name` in the shared base, else in the user's own cache, and what it has read."""
    shared = shared_build(kind, name)
    if shared and (reads := _read_by(shared)) is not None:
        return shared, reads
    own = cache_root() / kind / name
    with _writing(own.parent):
        make_folder(own.parent)
    if (reads := _read_by(own)) is None:
        return None
    with contextlib.suppress(OSError):  # fails in a sandbox, which may only read
        os.utime(own)
    return own, reads


def _write_record(folder: Path, began: int) -> None:
    """Write down what the files in `folder` contain, and what its build, which `began` then, has read of the user."""
    files = {}
    for path in folder.rglob("*"):
        if path.is_file() and not path.is_symlink():
            status = path.stat()
            files[str(path.relative_to(folder))] = status.st_size, status.st_mtime_ns, _content(path)
            if status.st_size > HASHED:  # of the others, a crash of the machine shows in the hash
                with path.open("rb") as file:
                    os.fsync(file.fileno())
    listed = folder / READS
    paths = sorted(set(listed.read_bytes().splitlines())) if listed.exists() else []
    reads = [(path, _content(path, began)) for path in map(os.fsdecode, paths)]
    text = json.dumps({"files": files, "reads": reads})
    (folder / RECORD).write_text(f"{hashlib.sha256(text.encode()).hexdigest()}\n{text}")


def _read_by(folder: Path) -> list[list[str]] | None:
    """Each file of the user that the build in `folder` has read, with a hash of what it then contained.

    None if there is no build, if it is damaged, or if other users could have written it.
    """
    with contextlib.suppress(OSError):  # of a folder that cannot be read, or that another process removes
        if not all(map(_is_own, (folder, *folder.rglob("*")))):
            return None
        digest, _, text = (folder / RECORD).read_bytes().partition(b"\n")
        if hashlib.sha256(text).hexdigest().encode() != digest:
            return None
        record = json.loads(text)
        for name, (size, modified, content) in record["files"].items():
            status = (folder / name).stat()
            unchanged = size > HASHED and status.st_mtime_ns == modified
            if status.st_size != size or not (unchanged or _content(folder / name) == content):
                return None
        return record["reads"]
    return None


def _content(path: str | Path, began: float = math.inf) -> str:
    """A hash of what a file contains, "" if there is no such file, or that it has changed after `began`."""
    with contextlib.suppress(OSError):
        status = os.stat(path)
        if status.st_ctime_ns > began:
            return "changed during the build"
        if stat.S_ISREG(status.st_mode):  # a device may never end
            with open(path, "rb") as file:
                return hashlib.file_digest(file, "sha256").hexdigest()
    return ""


def _is_own(path: Path, sticky: bool = False) -> bool:
    """Whether only users who could make this user run code in any case can have written `path`."""
    status = path.lstat()
    owners = trusted_owners() | {os.geteuid()}
    if status.st_uid == NOBODY and os.statvfs(path).f_flag & os.ST_RDONLY:  # in a sandbox: checked outside of it
        owners |= {NOBODY}
    return status.st_uid in owners and (path.is_symlink() or not writable_by_others(status, sticky))


@contextlib.contextmanager
def _alone_in(folder: Path) -> Iterator[None]:
    """Lock `folder` for this process, as far as its file system has locks."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        with contextlib.suppress(OSError):
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


@functools.cache
def content_hash(*places: Path) -> str:
    """A hash of the course's files and folders that decide what is built; part of the key."""
    digest = hashlib.sha256()
    for place in places:
        for path in sorted(place.rglob("*")) if place.is_dir() else [place]:
            if path.is_file() and path.suffix != ".pyc":  # .pyc files differ by machine
                digest.update(path.relative_to(place).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def require_writable() -> None:
    """Raise CourseError if the cache cannot be written, which is a failure of the judge, not of an answer."""
    working_folder(cache_root()).rmdir()


def working_folder(parent: Path) -> Path:
    """A new folder in `parent` for the caller alone; if it is left behind, it is removed after a while."""
    with _writing(parent):
        make_folder(parent)
        return Path(tempfile.mkdtemp(prefix=UNFINISHED, dir=parent))


def make_folder(parent: Path) -> None:
    """Make the cache's folder `parent` if it does not exist. Raises CourseError if others could put a library there."""
    root = cache_root()
    for folder in (root, parent):
        folder.mkdir(mode=0o755, parents=True, exist_ok=True)  # whatever the umask
        real = folder.resolve()
        mode, given = real.stat().st_mode, folder == root and os.environ.get("COURSE_CACHE")
        if mode & OTHERS_WRITE and not given:  # it was made by an older version, or by hand
            with contextlib.suppress(OSError):  # of another user
                real.chmod(mode & ~OTHERS_WRITE)
        if not _is_own(real, sticky=folder == root):
            raise CourseError(
                f"Other users can write the build cache {folder}, and so run code with your rights: set COURSE_CACHE "
                "to a folder that belongs to you and that only you can write."
            )


@contextlib.contextmanager
def _writing(parent: Path) -> Iterator[None]:
    """Raise CourseError for an OSError while the cache is written."""
    try:
        yield
    except OSError as error:
        raise CourseError(
            f"The build cache {parent} cannot be written ({error.strerror}): set COURSE_CACHE to a folder that can be"
            " written."
        ) from None


def _is_full(error: BaseException, folder: Path) -> bool:
    """Whether a build failed because the disk with `folder` has no room.

    The compiler's output does not count, since a source can make the compiler print anything.
    """
    if isinstance(error, BuildError):
        try:
            with tempfile.TemporaryFile(dir=folder) as file:
                os.posix_fallocate(file.fileno(), 0, NEEDED)
        except OSError as refused:  # also if the user's quota is used up, which the disk does not show
            error = refused
    return isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT)


def _keep_log(work: Path, parent: Path) -> Path | None:
    log = work / "build.log"
    return log.replace(parent / "last-failure.log") if log.exists() else None


def _make_room(root: Path) -> None:
    """Once an hour, remove the least recently used builds beyond ROOM, and the remains of killed builds.

    A user's folders stay and are not counted: COURSE_CACHE may name a folder with other content.
    """
    last, now = root / "last-tidied", time.time()
    with contextlib.suppress(OSError):  # another process is doing the same, or builds: try again next time
        if last.exists() and now - last.stat().st_mtime < IN_USE:
            return
        last.touch()
        used, own = 0, (path for path in root.glob("*/*/") if OWN.fullmatch(path.name))
        for then, folder in sorted(((path.stat().st_mtime, path) for path in own), reverse=True):
            used += sum(file.lstat().st_size for file in folder.rglob("*"))
            if now - then > IN_USE and (used > ROOM or folder.name.startswith(UNFINISHED)):
                gone = folder.with_name(f"{UNFINISHED}{folder.name}")
                folder.rename(gone)  # atomic: no process finds a part of it
                shutil.rmtree(gone, ignore_errors=True)


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
