"""The device that runs the kernels of a worker's answers: the GPU, or the CPU with the emulator."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext

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

    def modes(self) -> AbstractContextManager[None]:
        """A context in which Python code finds a GPU, an emulated one if the toolchain is the emulator."""
        return emulated_gpu(self.lacking) if self.emulated else nullcontext()

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
