"""`start`: makes a notebook ready, and says what this machine has."""

import builtins

from course import device
from course.build import known_toolchain
from course.notebook.magics import load_magics
from course.toolchains.emulator import clang


def start() -> str | None:
    """Add `%%cuda` and `%%candidate` to the notebook, and print what runs and what compiles its CUDA code.

    Returns
    -------
    str or None
        The name of the GPU that runs the code; None without a GPU.
    """
    if shell := getattr(builtins, "get_ipython", None):
        load_magics(shell())
    gpu = device.this_gpu().name if device.device() == "cuda" else None
    toolchain, nvcc = known_toolchain(), device.nvcc()
    by = f"nvcc {nvcc.version}" if gpu and nvcc else f"clang, of the package ziglang {clang.VERSION}"
    print("Tensors live on:  ", device.device())
    print("CUDA code runs on:", gpu or "the emulator, on this computer's CPU")
    print("It is compiled by:", toolchain.missing() or by)
    return gpu
