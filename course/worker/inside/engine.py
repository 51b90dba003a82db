"""The device that runs the kernels of a worker's answers: the GPU, or the CPU with the emulator."""

from __future__ import annotations

import contextlib
import ctypes
from collections.abc import Iterator

import torch

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

    @contextlib.contextmanager
    def modes(self) -> Iterator[None]:
        """A context in which Python code finds a GPU, an emulated one if the toolchain is the emulator."""
        with emulated_gpu(self.lacking) if self.emulated else contextlib.nullcontext():
            yield

    def synchronize(self) -> None:
        """Wait for the device. Raises KernelError for an error of the device, or for a launch that never started."""
        if self.emulated:
            return
        try:
            torch.cuda.synchronize()
        except RuntimeError as error:
            text = str(error).partition("\n")[0]
            kind = "out-of-bounds" if "illegal memory" in text else "misaligned" if "misaligned" in text else "crash"
            raise KernelError(text, (Hazard(kind, f"The device reported: {text}."),)) from error
        if code := _last_cuda_error():
            text = (
                f"A launch failed with CUDA error {code}, and the wrapper did not notice: write "
                "C10_CUDA_KERNEL_LAUNCH_CHECK() after the launch."
            )
            raise KernelError(text, (Hazard("bad-launch", text),))

    def is_lost(self) -> bool:
        """Whether an error has made the GPU's context unusable for this process."""
        if not self.emulated and torch.cuda.is_initialized():
            try:
                torch.cuda.synchronize()
            except RuntimeError:
                return True
        return False


def _last_cuda_error() -> int:
    """The error that the last launch left behind, 0 for none. PyTorch has no function for this."""
    with open("/proc/self/maps") as maps:
        paths = {line.split()[-1] for line in maps if "libcudart.so" in line}
    return max((ctypes.CDLL(path).cudaGetLastError() for path in paths), default=0)
