"""The variables of a built library, and the functions that they belong to."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

from course.text.cuda import CudaText
from course.toolchains import compiler


@dataclasses.dataclass(frozen=True)
class Variable:
    """A variable with static storage: its function ("" if none), its name, and its place in the library's file.

    `guard` says that it is the compiler's own, which says whether the variable of this name was initialised.
    """

    function: str
    name: str
    offset: int
    size: int
    guard: bool = False


def variables(library: Path) -> list[Variable]:
    """The writable variables of a library that have a size. Raises BuildError if they cannot be listed."""
    listed = compiler.listed(["nm", "-S", "-C", library.name], library.parent)
    found = []
    for line in listed.splitlines():
        # A function's static variable has the name `function(...)::name` (`void f<T>(...)::name`).
        if match := re.match(
            r"(\w+) (\w+) [bdBDuV] (?!(?:vtable|typeinfo|VTT) )(guard variable for )?(?:(.+)::)?(\w+)$", line
        ):
            offset, size, guard, function, name = match.groups()
            found.append(Variable(function or "", name, int(offset, 16), int(size, 16), bool(guard)))
    return found


def on_device(function: str, source: str) -> bool:
    """Whether a function, as `variables` names it, is a kernel or a device function of `source`."""
    name = plain_name(function)
    return any(f.name == name and f.on_device for f in CudaText.of(source).functions)


def plain_name(function: str) -> str:
    """`k` of `void (anonymous namespace)::k<float>(float*)`."""
    function = function.replace("(anonymous namespace)::", "")
    while function != (shorter := re.sub(r"<[^<>]*>", "", function)):
        function = shorter
    return function.partition("(")[0].rpartition("::")[2].rpartition(" ")[2]
