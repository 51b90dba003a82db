"""Which built modules a process that runs student code must not load."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable

from course.device import EMULATED
from course.toolchains import native
from course.toolchains.emulator.library import runtime
from course.toolchains.guard.symbols import INSTRUCTIONS, foreign_symbols


def refused_symbols(symbols: Iterable[str], toolchain: str) -> list[str]:
    """What a worker must not load a module for: those of its `symbols` that are not allowed, but can be called.

    What no library defines cannot be called. Then the worker says that the module does not load.
    """
    libraries = [ctypes.CDLL(None), native.torch_library()]
    if toolchain in EMULATED:
        libraries.append(runtime())
    return [
        name
        for name in foreign_symbols(symbols)
        if name in INSTRUCTIONS or any(hasattr(library, name) for library in libraries)
    ]
