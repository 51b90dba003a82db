"""Finds the hazards and counts the memory traffic of a function's kernels in the emulator."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import torch

from course.build import Function, UnbuiltFunction, load_traced
from course.device import free_memory
from course.errors import CourseError, Hazard, KernelError
from course.explain.counts import SECTOR, Access, Layout, Touched, Traffic
from course.notebook.interrupt import interruptible
from course.toolchains.emulator.calls import counting
from course.toolchains.emulator.self_test import counting_problem

__all__ = ["SECTOR", "Access", "Layout", "Total", "Touched", "Trace", "Traffic", "trace"]

MAX_ACCESSES = 50_000_000  # tracing this many takes one or two seconds; of a longer launch only a part is traced
SHADOW_BYTES = 4 << 30  # the most memory that the tracer uses for MAX_ACCESSES accesses


@dataclass(frozen=True)
class Trace:
    """How the kernels of one call used memory.

    In a launch of more than `MAX_ACCESSES` accesses, only some blocks are traced. These are spread over the grid,
    including its edges, and the counts are scaled. Scaled counts are exact if blocks differ only at the edges of the
    grid, and otherwise an estimate. For such a launch, races between blocks are not reported. Nor are touched sectors,
    since blocks may share them.

    Attributes
    ----------
    hazards : tuple of Hazard
        The hazards, in the order in which they were found.
    remarks : tuple of str
        Sentences on behaviour that is not a mistake, such as several threads that store the same value.
    traffic : tuple of Traffic
        The requests to memory, line by line. This and the following attributes are empty if a hazard ended the kernel.
    sectors_touched : tuple of Touched
        For each launch, how many different sectors (32 bytes) of global memory it read and wrote.
    accesses : tuple of Access
        The first 100,000 accesses of block (0, 0, 0) of each kernel's first launch.
    accesses_left_out : int
        The number of further accesses by that block.
    layouts : mapping of str to Layout
        The layouts of the tensors in `accesses`, by name.
    sampled : str or None
        If only some blocks of a launch were traced, a sentence that says so.
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
        """The sum of the traffic of all lines of all kernels.

        Parameters
        ----------
        space : {"global", "shared"}
            The memory.

        Returns
        -------
        Total
            The sum, in sectors of 32 bytes for global memory or in wavefronts for shared memory.
        """
        of_space = [line for line in self.traffic if line.space == space]
        return Total(*(sum(getattr(line, each.name) for line in of_space) for each in fields(Total)))


@dataclass(frozen=True)
class Total:
    """Traffic added up over lines: see `Traffic`.

    Attributes
    ----------
    requests : int
        Instructions of a warp that access memory.
    units : int
        The sectors or wavefronts that served the requests.
    ideal : int
        The fewest sectors or wavefronts that could have served the requests.
    lanes : int
        The active lanes of all requests.
    """

    requests: int
    units: int
    ideal: int
    lanes: int

    @property
    def over_least(self) -> float:
        """`units` divided by `ideal`; 1 if nothing was requested."""
        return self.units / self.ideal if self.ideal else 1.0


@interruptible("trace")
def trace(function: Function, *arguments: Any) -> Trace:
    """Call `function` with every access to memory traced, and discard the result.

    The emulator builds the function's source again for this, whatever toolchain built the function.

    Parameters
    ----------
    function : Function
        A function of a built module.
    *arguments
        The arguments of the function. Tensors on a GPU are copied to the host. If tensors share memory, so do their
        copies.

    Returns
    -------
    Trace
        How the kernels of the call used memory. A hazard is listed in the Trace and not raised.

    Raises
    ------
    BuildError, ToolchainMissing
        For the same reasons as in `load_inline`.
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
    # Copies of the tensors, and what the call allocates, take about twice the tensors' bytes. The tracer's data about
    # accessed elements take eight times as much as both, but at most SHADOW_BYTES.
    needed, free = 2 * size + min(16 * size, SHADOW_BYTES), free_memory("cpu")
    if needed > free:
        raise CourseError(
            f"Tracing a call with {size / 2**20:,.0f} MiB of tensors takes up to {needed / 2**20:,.0f} MiB, but"
            f" only {free / 2**20:,.0f} MiB are free. Smaller tensors show the same use of memory."
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
    """The arguments, with GPU tensors copied to the host. If tensors share memory, so do their copies."""
    storages: dict[int, torch.UntypedStorage] = {}

    def copied(tensor: torch.Tensor) -> torch.Tensor:
        storage = tensor.untyped_storage()
        if storage.data_ptr() not in storages:
            storages[storage.data_ptr()] = storage.cpu()
        there = torch.empty(0, dtype=tensor.dtype)
        return there.set_(storages[storage.data_ptr()], tensor.storage_offset(), tensor.shape, tensor.stride())

    return [copied(a) if isinstance(a, torch.Tensor) and a.is_cuda else a for a in arguments]
