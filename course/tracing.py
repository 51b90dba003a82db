"""What a function's kernels do to memory, as the emulator sees it: hazards and traffic."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import torch

from course.build import Function, KernelError, UnbuiltFunction, load_traced
from course.tasks import free_memory
from course.toolchains.base import CourseError, Hazard
from course.toolchains.emulator import counting, counting_problem
from course.toolchains.emulator.traced import SECTOR, Access, Layout, Touched, Traffic

__all__ = ["SECTOR", "Access", "Layout", "Total", "Touched", "Trace", "Traffic", "trace"]

MOST_ACCESSES = 50_000_000  # of a launch that is traced whole: one or two seconds
SHADOW_BYTES = 4 << 30  # what the tracer keeps at most about so many accesses


@dataclass(frozen=True)
class Trace:
    """What was seen in one call.

    `hazards` are mistakes; `remarks` are sentences on what is none, such as several threads that store the same value.
    `traffic` counts the requests to memory, line by line, and `sectors_touched` has for each launch the sectors of
    global memory that it touched at all. `accesses` are those of block (0, 0, 0) of each kernel's first launch, at most
    100 000 of them, the first ones; `accesses_left_out` says how many more that block made, and `layouts`, by the
    array's name, how the tensors among them lie. All are empty where a hazard ended the kernel.

    A launch of more than `MOST_ACCESSES` is traced on whole blocks spread over its grid, edges among them, and its
    counts are scaled: exact where blocks differ at the edges of the grid alone, else an estimate. `sampled` says so.
    Its sectors touched, which its blocks may share, and races between its blocks are then not told.
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
        """What all lines of all kernels asked of `space`, `global` or `shared`, together."""
        of_space = [line for line in self.traffic if line.space == space]
        return Total(*(sum(getattr(line, each.name) for line in of_space) for each in fields(Total)))


@dataclass(frozen=True)
class Total:
    """Sums over lines: see Traffic."""

    requests: int
    units: int
    ideal: int
    lanes: int

    @property
    def over_least(self) -> float:
        """The bytes that were moved over the least that could hold what was asked for; 1 where nothing was asked."""
        return self.units / self.ideal if self.ideal else 1.0


def trace(function: Function, *arguments: Any) -> Trace:
    """Call `function` on the arguments with every access to memory looked at; the result is thrown away.

    Its source is built once more for that, by the emulator, whatever toolchain built the function. Raises what the
    function raises, but for hazards; BuildError and ToolchainMissing as `load_inline` does; CourseError for what is no
    function of a CUDA source, for one that did not build, for arguments that are too large, and where this machine's
    g++ counts wrongly.
    """
    if isinstance(function, UnbuiltFunction):
        function()
    if not isinstance(function, Function):
        raise CourseError(
            f"trace takes a function of a %%cuda module, such as relu.forward, not a {type(function).__name__}; of a"
            " %%candidate script, put the CUDA source into a %%cuda cell."
        )
    size = sum(argument.untyped_storage().nbytes() for argument in arguments if isinstance(argument, torch.Tensor))
    # A copy of each, as much again for what the call makes, and eight times as much that is kept about the elements
    # that are accessed.
    needed, free = 2 * size + min(16 * size, SHADOW_BYTES), free_memory("cpu")
    if needed > free:
        raise CourseError(
            f"To trace a call with {size / 2**20:,.0f} MiB of tensors takes up to {needed / 2**20:,.0f} MiB, and"
            f" {free / 2**20:,.0f} are free: what a kernel does to memory shows on smaller tensors."
        )
    if problem := counting_problem():
        raise CourseError(problem)
    traced = load_traced(function)
    hazards: tuple[Hazard, ...] = ()
    with counting(MOST_ACCESSES, in_full=True) as counted:
        try:
            traced(*_on_host(arguments))
        except KernelError as error:
            hazards = error.hazards
    return Trace(
        hazards, tuple(counted.remarks), tuple(counted.traffic), tuple(counted.touched), counted.accesses,
        counted.left_out, counted.layouts, counted.sampled,
    )  # fmt: skip


def _on_host(arguments: Sequence[Any]) -> list[Any]:
    """The arguments with tensors of the GPU copied: those that share memory share it still, and lie in it as before."""
    storages: dict[int, torch.UntypedStorage] = {}

    def copied(tensor: torch.Tensor) -> torch.Tensor:
        storage = tensor.untyped_storage()
        if storage.data_ptr() not in storages:
            storages[storage.data_ptr()] = storage.cpu()
        there = torch.empty(0, dtype=tensor.dtype)
        return there.set_(storages[storage.data_ptr()], tensor.storage_offset(), tensor.shape, tensor.stride())

    return [copied(a) if isinstance(a, torch.Tensor) and a.is_cuda else a for a in arguments]
