"""Which files of the user a compiler has read: it lists them in depfiles (`-MD`).

Files of the course and of the compilers are left out, since the key of a build has their hash and their version.
"""

import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from course.toolchains.cache import READS

COURSE = Path(__file__).parents[1]
_NAME = re.compile(r"(?:\\[ #]|\S)+")


def take(folder: Path) -> set[str]:
    """Remove all depfiles in `folder`, and return the paths that they list."""
    found = set()
    for depfile in folder.glob("*.d"):
        for name in _NAME.findall(os.fsdecode(depfile.read_bytes()).replace("\\\n", " ")):
            if not name.endswith(":"):  # what is made
                found.add(os.path.normpath(folder / re.sub(r"\\([ #])", r"\1", name).replace("$$", "$")))
        depfile.unlink()
    return found


def note(read: Iterable[str], folder: Path, known: Sequence[Path]) -> None:
    """Add to READS in `folder` those of the files `read` there that are the user's."""
    roots = tuple(f"{os.path.realpath(each)}/" for each in (folder, COURSE, *known))
    own = {path for path in read if not os.path.realpath(path).startswith(roots)}
    with (folder / READS).open("ab") as file:
        file.writelines(os.fsencode(path) + b"\n" for path in sorted(own))
