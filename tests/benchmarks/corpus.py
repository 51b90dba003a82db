"""The corpus of wrappers (tests/corpus) against PyTorch's own headers, on a machine without a GPU: some 20 minutes.

PyTorch's `load_inline` compiles the wrappers' C++ with its own headers and binds them with pybind11: values, errors and
arguments are PyTorch's. The kernels in them run on the emulator, and the CPU stands in for the device: `kCUDA` becomes
`kCPU`, `is_cuda` becomes `is_cpu`. Calls that distinguish host and device, and the headers of `c10/cuda`, can be tested
only on a GPU.

The wrappers that must be refused are built by PyTorch's `load_inline` with nvcc, as on a GPU. A PyTorch for CPUs lacks
two libraries that this build links; empty libraries stand in for them.

Seen with PyTorch 2.13.0+cpu: of 167 calls of 96 wrappers, three gave results that differed from the corpus, which has
been corrected since: an at::Scalar as an argument, and what TORCH_CHECK_EQ says. Of the wrappers that are refused,
three were built: an assert with a message, a function that nothing binds, and one bound twice. The others have not been
built yet.

    python -m tests.benchmarks.corpus [NAME ...]

With names, only those of the refused wrappers are built.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import torch
from torch.utils import cpp_extension

from course import device
from course.errors import BuildError
from course.toolchains.base import INCLUDE
from course.toolchains.emulator.library import FLAGS, HERE, runtime
from course.toolchains.emulator.translate import translate
from course.toolchains.guard.symbols import THUNK_FLAGS
from tests.corpus import EMULATED, Wrapper, arguments, mismatch, pytorch, source_of, wrappers

PRELUDE = "#include <cuda.h>\n#include <cuda_fp16.h>\n#include <cuda_runtime.h>\n#define __CUDACC__\n"
ON_THE_CPU = {r"\btype\(\)\.is_cuda\b": "is_cpu",
    r"\bkCUDA\b": "kCPU", r"\bis_cuda\b": "is_cpu", r"\.cuda\(\)": ".cpu()",
    r"RestrictPtrTraits\b": "DefaultPtrTraits"}  # fmt: skip


def runnable(wrapper: Wrapper) -> bool:
    """Whether the wrapper needs nothing of CUDA that the emulator lacks."""
    return wrapper.joins and not (wrapper.refused_by("emulator") or re.search("cuda/|cudaFunc|1025", wrapper.source))


def run(some: list[Wrapper], folder: str) -> int:
    """Build the wrappers with PyTorch's own headers and call their functions. Returns how many calls differ."""
    runtime()
    text = translate(arguments(some)["cuda_sources"])
    for pattern, replacement in ON_THE_CPU.items():
        text = re.sub(pattern, replacement, text)
    left_out = ("-std", "-O", *THUNK_FLAGS)  # whose thunks are in the shim's own unit
    flags = [flag for flag in FLAGS if not flag.startswith(left_out)]
    names = [name for wrapper in some for name in wrapper.functions]
    os.symlink(INCLUDE / "course", f"{folder}/course")
    include = [str(HERE / "include"), folder]
    module = cpp_extension.load_inline("corpus", PRELUDE + text, functions=names, extra_cflags=[*flags, "-O0"],
                                       extra_include_paths=include, build_directory=folder)  # fmt: skip
    functions = {name: getattr(module, name) for name in names}
    wrong = calls = 0
    for wrapper in some:
        for call in wrapper.calls:
            if re.search(r"host\(|cuda|CUDA", f"{call.expression} {call.gives} {call.raises}"):
                continue
            calls += 1
            if problem := mismatch(call, functions, EMULATED):
                wrong += 1
                print(f"{wrapper.name}: {problem}", flush=True)
    print(f"{calls} calls of {len(some)} wrappers: {wrong} differ", flush=True)
    return wrong


def refused(wrapper: Wrapper, folder: str) -> str:
    """How PyTorch's own build refuses the wrapper; begins with NOT if it does not, or does so for another reason."""
    try:
        pytorch.build(source_of([wrapper]), Path(folder))
    except BuildError as error:
        told = " ".join(str(error).split())
        return told if re.search(wrapper.refused, str(error), re.DOTALL) else f"NOT AS EXPECTED: {told}"
    return "NOT REFUSED"


def main() -> int:
    """Print what differs. Returns 1 if anything does."""
    everything = wrappers()
    some = [wrapper for wrapper in everything if wrapper.refused and (not sys.argv[1:] or wrapper.name in sys.argv[1:])]
    print(f"PyTorch {torch.__version__}, nvcc {device.nvcc()}", flush=True)
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for name in ("c10_cuda", "torch_cuda"):
            subprocess.run(["g++", "-shared", "-o", f"{folder}/lib{name}.so", "-x", "c", "/dev/null"], check=True)
        os.environ |= {"LIBRARY_PATH": folder, "TORCH_CUDA_ARCH_LIST": "7.5"}
        if not sys.argv[1:]:
            (run_here := Path(folder) / "run").mkdir()
            wrong += run([wrapper for wrapper in everything if runnable(wrapper)], str(run_here))
        for wrapper in some:
            (here := Path(folder) / wrapper.name).mkdir()
            told = refused(wrapper, str(here))
            wrong += told.startswith("NOT ")
            print(f"{wrapper.name}: {told[:300]}", flush=True)
    print(f"{wrong} differ." if wrong else "All as the corpus says.")
    return min(wrong, 1)


if __name__ == "__main__":
    sys.exit(main())
