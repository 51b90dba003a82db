"""Traces the hazards and the memory traffic of a function's kernels in the emulator."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import torch

from course.build import Function, UnbuiltFunction, load_traced
from course.device import free_memory
from course.errors import CourseError, Hazard, KernelError
from course.notebook.interrupt import interruptible
from course.toolchains.emulator.calls import counting
from course.toolchains.emulator.self_test import counting_problem
from course.toolchains.emulator.traffic import SECTOR, Access, Layout, Touched, Traffic

__all__ = ["SECTOR", "Access", "Layout", "Total", "Touched", "Trace", "Traffic", "trace"]

MAX_ACCESSES = 50_000_000  # of a launch that is traced whole: one or two seconds
SHADOW_BYTES = 4 << 30  # the most that the tracer keeps about that many accesses


@dataclass(frozen=True)
class Trace:
    """What the kernels of one call did to memory.

    A launch of more than `MAX_ACCESSES` accesses is traced on whole blocks spread over its grid, edges included, and
    its counts are scaled. They are exact where blocks differ only at the edges of the grid, else an estimate. Its
    touched sectors, which its blocks may share, and races between its blocks are then not reported.

    Attributes
    ----------
    hazards : tuple of Hazard
        Mistakes, in the order in which they were seen.
    remarks : tuple of str
        Sentences on behaviour that is not a mistake, such as several threads that store the same value.
    traffic : tuple of Traffic
        The requests to memory, line by line. Empty where a hazard ended the kernel, as are the following.
    sectors_touched : tuple of Touched
        For each launch, how many different sectors (32 bytes) of global memory it read and wrote.
    accesses : tuple of Access
        The accesses of block (0, 0, 0) of each kernel's first launch: the first 100,000 of them.
    accesses_left_out : int
        How many more accesses that block made.
    layouts : mapping of str to Layout
        The layouts of the tensors in `accesses`, by name.
    sampled : str or None
        A sentence that says so if launches were traced on some of their blocks only.
    """

    hazards: tuple[Hazard, ...]
    remarks: tuple[str, ...]
    traffic: tuple[Traffic, ...]
    sectors_touched: tuple[Touched, ...]
    accesses: tuple[Access, ...]
    accesses_left_out: int
    layouts: Mapping[str, Layout]
    sampled: str | None

    def total(self, space: str) -> Total:
        """The traffic of all lines of all kernels together.

        Parameters
        ----------
        space : {"global", "shared"}
            The memory.

        Returns
        -------
        Total
            In sectors of 32 bytes for global memory, in wavefronts for shared memory.
        """
        of_space = [line for line in self.traffic if line.space == space]
        return Total(*(sum(getattr(line, each.name) for line in of_space) for each in fields(Total)))


@dataclass(frozen=True)
class Total:
    """Sums over lines: see `Traffic`.

    Attributes
    ----------
    requests : int
        Instructions of a warp that access memory.
    units : int
        The sectors or wavefronts that served them.
    ideal : int
        The fewest sectors or wavefronts that could have.
    lanes : int
        The active lanes of all requests.
    """

    requests: int
    units: int
    ideal: int
    lanes: int

    @property
    def over_least(self) -> float:
        """The units that were moved over the fewest that could hold what was requested; 1 if nothing was requested."""
        return self.units / self.ideal if self.ideal else 1.0


@interruptible("trace")
def trace(function: Function, *arguments: Any) -> Trace:
    """Call `function` with every access to memory traced, and discard the result.

    Its source is built again for that by the emulator, whatever toolchain built the function.

    Parameters
    ----------
    function : Function
        A function of a built module.
    *arguments
        The arguments of the function. Tensors on a GPU are copied to the host, with shared memory still shared.

    Returns
    -------
    Trace
        What the kernels of the call did to memory. A hazard is listed there and not raised.

    Raises
    ------
    BuildError, ToolchainMissing
        As `load_inline` does.
    CourseError
        If `function` is not from a CUDA source or did not build, if the arguments are too large for this
        machine's memory, or if this machine's g++ makes the tracer count wrongly.
    """
    if isinstance(function, UnbuiltFunction):
        function()
    if not isinstance(function, Function):
        raise CourseError(
            f"trace takes a function of a %%cuda module, such as relu.forward, not a {type(function).__name__}."
            " To trace a %%candidate script, put its CUDA source into a %%cuda cell."
        )
    size = sum(argument.untyped_storage().nbytes() for argument in arguments if isinstance(argument, torch.Tensor))
    # A copy of each, as much again for what the call allocates, and eight times as much for the tracer's shadow of the
    # elements that are accessed.
    needed, free = 2 * size + min(16 * size, SHADOW_BYTES), free_memory("cpu")
    if needed > free:
        raise CourseError(
            f"Tracing a call with {size / 2**20:,.0f} MiB of tensors takes up to {needed / 2**20:,.0f} MiB, and"
            f" {free / 2**20:,.0f} are free. Smaller tensors show the same use of memory."
        )
    if problem := counting_problem():
        raise CourseError(problem)
    traced = load_traced(function)
    hazards: tuple[Hazard, ...] = ()
    with counting(MAX_ACCESSES, in_full=True) as counted:
        try:
            traced(*_on_host(arguments))
        except KernelError as error:
            hazards = error.hazards
    return Trace(
        hazards, tuple(counted.remarks), tuple(counted.traffic), tuple(counted.touched), counted.accesses,
        counted.left_out, counted.layouts, counted.sampled,
    )  # fmt: skip


def _on_host(arguments: Sequence[Any]) -> list[Any]:
    """The arguments with tensors of the GPU copied. Those that share memory still do, with the same offsets."""
    storages: dict[int, torch.UntypedStorage] = {}

    def copied(tensor: torch.Tensor) -> torch.Tensor:
        storage = tensor.untyped_storage()
        if storage.data_ptr() not in storages:
            storages[storage.data_ptr()] = storage.cpu()
        there = torch.empty(0, dtype=tensor.dtype)
        return there.set_(storages[storage.data_ptr()], tensor.storage_offset(), tensor.shape, tensor.stride())

    return [copied(a) if isinstance(a, torch.Tensor) and a.is_cuda else a for a in arguments]
