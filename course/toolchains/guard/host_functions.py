"""Stops a kernel that calls a function of the host's libraries, whose accesses are not instrumented.

On a GPU a kernel cannot call them either.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from course.toolchains import compiler
from course.toolchains.guard.symbols import HOST_FUNCTIONS

_ON_THE_HOST = re.compile("|".join(HOST_FUNCTIONS))
# The code that is called in place of such a function.
_STUB = """
    .globl __wrap_{name}
    .hidden __wrap_{name}
    .type __wrap_{name}, @function
__wrap_{name}:
    movq emulator_in_kernel@GOTPCREL(%rip), %r11
    cmpb $0, (%r11)
    je __real_{name}@PLT
    leaq 1f(%rip), %rdi
    subq $8, %rsp
    call emulator_host_function@PLT
1:  .asciz "{name}"
"""


def stubs(objects: Sequence[Path]) -> list[str]:
    """What to link with `objects`, which are all in one folder, so that a kernel stops if it calls such a function."""
    names = of_the_host(objects)
    text = ".section .note.GNU-stack\n.text" + "".join(_STUB.format(name=name) for name in names)
    (objects[0].parent / "stubs.s").write_text(text)
    return ["stubs.s", *(f"-Wl,--wrap={name}" for name in names)]


def of_the_host(objects: Sequence[Path]) -> list[str]:
    """The functions of the C and C++ libraries that `objects` call by name and that no kernel can call."""
    names, folder = [path.name for path in objects], objects[0].parent
    symbols = compiler.listed(["nm", *names], folder)
    undefined = set(re.findall(r" [Uw] (\w+)", symbols))  # w: declared weak
    relocations = compiler.listed(["readelf", "-rW", *names], folder)
    called = set(re.findall(r" R_X86_64_PLT32 +\w+ (\w+)", relocations))  # without variables
    return sorted(name for name in undefined & called if _ON_THE_HOST.fullmatch(name))
