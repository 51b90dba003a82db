"""Where a call through a pointer may lead: g++ makes each such call go through a thunk, whose source is here."""

from __future__ import annotations

from pathlib import Path

FLAGS = ("-mindirect-branch=thunk-extern", "-fno-jump-tables")  # for every unit of a module
SOURCE = Path(__file__).with_suffix(".cpp")  # a part of the shim's own unit


def refusal(called: str, library: str) -> str:
    """What is wrong with a call of the function `called` in `library`; either is empty if it is unknown."""
    return (
        f"a call through a pointer leads to {called or 'code without a name'} in {library or 'no library'}: call "
        "functions of your own source, or of the C++ library, and have a kernel do the work"
    )
