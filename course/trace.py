"""What a function's kernels do to memory, as the emulator sees it: hazards and traffic."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from course.build import Function, KernelError, load_traced
from course.toolchains.base import Hazard
from course.toolchains.emulator.traced import Traffic


@dataclass(frozen=True)
class Trace:
    """What was seen in one call.

    `hazards` are mistakes; `remarks` are sentences on what is none, such as several threads that store the same value;
    `traffic` counts the requests to memory, line by line.
    """

    hazards: tuple[Hazard, ...]
    remarks: tuple[str, ...]
    traffic: tuple[Traffic, ...]


def trace(function: Function, *arguments: Any) -> Trace:
    """Call `function` on the arguments with every access to memory looked at; the result is thrown away.

    Its source is built once more for that, by the emulator, whatever toolchain built the function. Raises what the
    function raises, but for hazards, and BuildError and ToolchainMissing as `load_inline` does.
    """
    traced = load_traced(function)
    traced.counting = True
    hazards: tuple[Hazard, ...] = ()
    try:
        traced(*arguments)
    except KernelError as error:
        hazards = error.hazards
    return Trace(hazards, traced.remarks, traced.traffic)
