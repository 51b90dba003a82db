"""What a function's kernels do to memory, as the emulator sees it: hazards and traffic."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch

from course.build import Function, KernelError, load_traced
from course.toolchains.base import CourseError, Hazard
from course.toolchains.emulator.traced import Traffic

TRACED_BYTES = 64 << 20  # of tensors; the tracer keeps eight times as much about them


@dataclass(frozen=True)
class Trace:
    """What was seen in one call.

    `hazards` are mistakes; `remarks` are sentences on what is none, such as several threads that store the same value;
    `traffic` counts the requests to memory, line by line, and is empty where a hazard ended the kernel.
    """

    hazards: tuple[Hazard, ...]
    remarks: tuple[str, ...]
    traffic: tuple[Traffic, ...]


def trace(function: Function, *arguments: Any) -> Trace:
    """Call `function` on the arguments with every access to memory looked at; the result is thrown away.

    Its source is built once more for that, by the emulator, whatever toolchain built the function. Raises what the
    function raises, but for hazards; BuildError and ToolchainMissing as `load_inline` does; CourseError for arguments
    that are too large.
    """
    size = sum(argument.nbytes for argument in arguments if isinstance(argument, torch.Tensor))
    if size > TRACED_BYTES:
        raise CourseError(
            f"The tensors have {size >> 20} MiB, and the tracer takes at most {TRACED_BYTES >> 20}: what a kernel does"
            " to memory shows on smaller ones."
        )
    traced = load_traced(function)
    traced.counting = True
    hazards: tuple[Hazard, ...] = ()
    try:
        traced(*(a.cpu() if isinstance(a, torch.Tensor) and a.is_cuda else a for a in arguments))
    except KernelError as error:
        hazards = error.hazards
    return Trace(hazards, traced.remarks, traced.traffic)
