"""The device that runs an answer's kernels, the GPU or the CPU with the emulator, and PyTorch's modes for a call."""

import contextlib
from collections.abc import Collection, Iterator
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from course.device import EMULATED
from course.errors import CannotJudge, Hazard, KernelError
from course.worker.inside.emulated_gpu import emulated_gpu


class Engine:
    """The engine of a toolchain. `device` is the type of the tensors' device.

    `lacking` has an error for each name that the emulator does not have and an answer has asked for.
    """

    def __init__(self, toolchain: str):
        self.emulated = toolchain in EMULATED
        self.device = "cpu" if self.emulated else "cuda"
        self.lacking: list[CannotJudge] = []

    def modes(self) -> contextlib.AbstractContextManager[None]:
        """A context in which Python code finds a GPU, an emulated one if the toolchain is the emulator."""
        return emulated_gpu(self.lacking) if self.emulated else contextlib.nullcontext()

    def synchronize(self) -> None:
        """Wait for the device. Raises KernelError for an error of the device."""
        if self.emulated:
            return
        try:
            torch.cuda.synchronize()
        except RuntimeError as error:
            text = str(error).partition("\n")[0]
            kind = "out-of-bounds" if "illegal memory" in text else "misaligned" if "misaligned" in text else "crash"
            raise KernelError(text, (Hazard(kind, f"The device reported: {text}."),)) from error

    def is_lost(self) -> bool:
        """Whether an error has made the GPU's context unusable for this process."""
        if not self.emulated and torch.cuda.is_initialized():
            try:
                torch.cuda.synchronize()
            except RuntimeError:
                return True
        return False


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
        name, result = func.overloadpacket.__name__, func(*args, **(kwargs or {}))
        if name in self.COPIES:
            self.copies.append(name)
        elif name in self.library:
            self.permitted.append(name)
        elif not (func.is_view or name in self.ALLOWED or getattr(result, "is_meta", False)):  # meta: has no values
            self.calls.append(name)
        return result


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
