"""PyTorch modes for calls of an answer: library calls are recorded, and new outputs are filled."""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Iterator
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode


class LibraryCalls(TorchDispatchMode):
    """Records PyTorch operations that compute or copy; a wrapper may allocate, view and fill tensors.

    Operations that compute are in `calls`, or in `permitted` if the task allows them (its `library`).
    """

    ALLOWED = frozenset(
        (
            *("empty", "empty_like", "empty_strided", "new_empty", "new_empty_strided", "resize_", "set_"),
            *("zeros", "zeros_like", "new_zeros", "zero_", "ones", "ones_like", "new_ones", "fill_", "scalar_tensor"),
            *("full", "full_like", "new_full", "lift_fresh", "_reshape_alias", "_unsafe_view", "_local_scalar_dense"),
            *("is_same_size", "is_pinned", "record_stream"),
        )
    )
    COPIES = frozenset(("clone", "copy_", "_to_copy", "contiguous", "_reshape_copy", "_pin_memory"))

    def __init__(self, library: Collection[str]) -> None:
        super().__init__()
        self.library = library
        self.calls: list[str] = []
        self.copies: list[str] = []
        self.permitted: list[str] = []

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False  # nothing is compiled here, and a check would first import the compiler: 0.7 s

    def __torch_dispatch__(self, func: Any, types: Any, args: tuple = (), kwargs: dict | None = None) -> Any:
        name = func.overloadpacket.__name__
        if name in self.COPIES:
            self.copies.append(name)
        elif name in self.library:
            self.permitted.append(name)
        elif not func.is_view and name not in self.ALLOWED:
            self.calls.append(name)
        return func(*args, **(kwargs or {}))


@contextlib.contextmanager
def filled_outputs() -> Iterator[None]:
    """Fill new tensors with NaN (integers: the largest value, or -1), so that unwritten elements are noticed."""
    # "warn" is use_deterministic_algorithms(True, warn_only=True) without its import of the whole of torch._inductor.
    torch.set_deterministic_debug_mode("warn")
    torch.utils.deterministic.fill_uninitialized_memory = True  # type: ignore[attr-defined]
    try:
        yield
    finally:
        torch.set_deterministic_debug_mode("default")
