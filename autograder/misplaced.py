"""Finds the notebook of a submission that has another name than its assignment, or is in a folder or a zip file."""

import io
import lzma
import os
import stat
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path, PurePosixPath

from autograder.submission_files import NotTaken, read_regular

NOTEBOOK_BOUND = 64 << 20  # bytes, including outputs
ZIP_BOUND = 16 << 20  # bytes of a zip file; a list of all members that could be in it takes 2 s and 250 MB
COPIES_BOUND = 4  # notebooks whose contents are compared
ENTRIES_BOUND = 1000  # files and folders in which a notebook is looked for
NAMES_SHOWN = 3  # most names that a sentence lists
UNPACK = "hand in the notebook itself, not a zip file"
LONGEST_SHOWN = 200  # characters of a name in a sentence

Found = dict[str, Callable[[], bytes]]  # how to read each notebook, by its path in the submission


def read_handed_in(path: Path) -> tuple[bytes, str]:
    """The content of the submitted notebook that should be at `path`, and the name under which it was found instead.

    A notebook at `path` always counts, and its name is "". Without it, another notebook counts if it is the only one of
    its name, or the only one at all, in the folder of the submission, in the folders there, and in the zip files there.
    Raises NotTaken if the notebook is missing or is not a regular file of limited size, or if several could be meant;
    and OSError if it cannot be read.
    """
    try:
        return read_regular(path, NOTEBOOK_BOUND), ""
    except FileNotFoundError:
        pass
    found: Found = {}
    unread: list[str] = []
    for entry in _entries(path.parent):
        if is_notebook(entry.name):
            found[entry.name] = partial(read_regular, entry, NOTEBOOK_BOUND)
        elif entry.suffix.lower() == ".zip":
            try:
                found |= {f"{entry.name}/{name}": read for name, read in _in_zip(entry)}
            except NotTaken as error:
                unread.append(str(error))
        elif not entry.is_symlink() and entry.is_dir():
            inside = filter(lambda each: is_notebook(each.name), _entries(entry))
            found |= {
                f"{entry.name}/{each.name}": partial(read_regular, each, NOTEBOOK_BOUND, folders=3) for each in inside
            }
    named = [name for name in found if PurePosixPath(name).name == path.name]
    if len(chosen := named or list(found)) == 1:
        return found[chosen[0]](), shown(chosen[0])
    with suppress(NotTaken):
        texts = [found[name]() for name in chosen if len(chosen) <= COPIES_BOUND]
        if texts and texts.count(texts[0]) == len(texts):  # such as a zip file beside what was unpacked from it
            return texts[0], shown(chosen[0])
    missing = f"There is no {path.name} in the submission."
    if chosen:
        names = ", ".join(map(shown, sorted(chosen)[:NAMES_SHOWN]))
        unread.append(
            f"It has {names}{' and others' * (len(chosen) > NAMES_SHOWN)}: hand in one of them as {path.name}."
        )
    raise NotTaken(" ".join([missing, *unread]))


def is_notebook(name: str) -> bool:
    """Whether a file of this name is a notebook, and not a hidden file that a system made of one."""
    return name.lower().endswith(".ipynb") and not name.startswith(".")


def shown(name: str) -> str:
    """A name for a sentence: one line of text that can be stored."""
    return "".join(each if each.isprintable() else "?" for each in name)[:LONGEST_SHOWN]


def _entries(folder: Path) -> list[Path]:
    """The files and folders in `folder`, without hidden ones, at most ENTRIES_BOUND."""
    if not folder.is_dir():
        return []
    names = sorted(name for name in os.listdir(folder) if not name.startswith((".", "__MACOSX")))
    return [folder / name for name in names[:ENTRIES_BOUND]]


def _in_zip(path: Path) -> Iterator[tuple[str, Callable[[], bytes]]]:
    """The notebooks in a zip file. Nothing is unpacked to the disk. Raises NotTaken if the file cannot be read."""
    content = read_regular(path, ZIP_BOUND)

    try:
        archive = zipfile.ZipFile(io.BytesIO(content))
        members = archive.infolist()
    except (zipfile.BadZipFile, NotImplementedError, OSError, ValueError):
        raise NotTaken(f"{path.name} cannot be read as a zip file: {UNPACK}.") from None
    for member in members:
        mode, parts = member.external_attr >> 16, PurePosixPath(member.filename).parts
        regular = stat.S_ISREG(mode) or not stat.S_IFMT(mode)  # archives made on Windows have no mode
        if regular and parts and is_notebook(parts[-1]) and not {"..", "/", "__MACOSX"} & {*parts}:
            yield member.filename, partial(read_member, archive, member, path.name)


def read_member(archive: zipfile.ZipFile, member: zipfile.ZipInfo, name: str) -> bytes:
    """The content of a file in the zip file `name`. Raises NotTaken if it cannot be read, or is too large."""
    try:
        with archive.open(member) as file:
            text = file.read(NOTEBOOK_BOUND + 1)  # a member may be larger than its header says
    except (zipfile.BadZipFile, zlib.error, lzma.LZMAError, RuntimeError, EOFError, OSError, ValueError):
        raise NotTaken(f"{shown(member.filename)} in {name} cannot be unpacked: {UNPACK}.") from None
    if len(text) > NOTEBOOK_BOUND:
        raise NotTaken(f"{shown(member.filename)} in {name} is larger than {NOTEBOOK_BOUND >> 20} MiB.")
    return text
