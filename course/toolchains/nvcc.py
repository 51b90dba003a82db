"""The everyday toolchain on a GPU: nvcc with the shim headers, about a second from edit to module."""

import dataclasses
import functools
import os
import re
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

from course import device
from course.errors import ToolchainMissing
from course.prepare import GXX_FIX
from course.toolchains.base import HEADERS, INCLUDE, Source, Unit
from course.toolchains.cache import content_hash
from course.toolchains.emulator import library
from course.toolchains.guard import symbols
from course.toolchains.guard.symbols import THUNK_FLAGS, THUNKS
from course.toolchains.shim import units as shim

OR_EMULATE = "or set COURSE_TOOLCHAIN=emulator in the environment to run kernels in the emulator."
NVCC_FIX = (
    "install the CUDA toolkit that PyTorch was built with (CUDA 13: pip install 'cuda-toolkit[nvcc,cccl]==13.0.*'), "
    + OR_EMULATE
)
TOOLKITS = "https://developer.nvidia.com/cuda-toolkit-archive"

# The same as those of torch.utils.cpp_extension, so that a source has the same meaning here.
FLAGS = (
    shim.STANDARD,
    "-w", "-cudart", "shared", "-Xcompiler", "-fPIC,-fno-gnu-unique,-fvisibility=hidden",
    *(f"-Xcompiler={flag}" for flag in THUNK_FLAGS),
    "--expt-relaxed-constexpr", "-D__CUDA_NO_HALF_OPERATORS__", "-D__CUDA_NO_HALF_CONVERSIONS__",
    "-D__CUDA_NO_BFLOAT16_CONVERSIONS__", "-D__CUDA_NO_HALF2_OPERATORS__",
)  # fmt: skip

# The special functions of <cmath>, such as Bessel functions, which nvcc's own first header brings. Defining the include
# guard of their header leaves them out.
WITHOUT_SPECIAL_FUNCTIONS = "-D_GLIBCXX_BITS_SPECFUN_H"


def architecture_here() -> str | None:
    """nvcc's name for this machine's GPU, such as "80"; None if there is no GPU."""
    card = device.gpu()
    return "{}{}".format(*card.capability) if card else None


def architecture_flags(architecture: str, cuda_cflags: Sequence[str]) -> list[str]:
    """The flag for the architecture; empty if one of `extra_cuda_cflags` contains "arch", as in PyTorch.

    So a source that needs an instruction of only one architecture (`wgmma` of "90a") can say so in every toolchain.
    """
    if any("arch" in flag for flag in cuda_cflags):
        return []
    return [f"-gencode=arch=compute_{architecture},code=sm_{architecture}"]


class Nvcc:
    """`Toolchain` that builds with nvcc and the shim for torch's headers.

    It builds for the compute capability `architecture`, such as "90", or for this machine's GPU if that is None.
    """

    name = "nvcc"

    def __init__(self, architecture: str | None = None):
        self.architecture = architecture

    def missing(self) -> str | None:
        import torch

        if not torch.cuda.is_available():
            return 'there is no CUDA GPU that PyTorch can use: use toolchain="emulator", which needs none.'
        nvcc = device.nvcc()
        if nvcc is None:
            return f"nvcc was not found: {NVCC_FIX}"
        if device.gxx() is None:
            return f"g++ was not found, with which nvcc compiles host code: {GXX_FIX}, {OR_EMULATE}"
        driver = device.driver_cuda()
        if driver and driver[0] < int(nvcc.version.partition(".")[0]):
            newest = f"{driver[0]}.{driver[1]}"
            return (
                f"NVIDIA's driver supports CUDA up to {newest}, and {nvcc.path} is of CUDA {nvcc.version}: install a "
                f"newer driver or the toolkit of CUDA {newest} ({TOOLKITS}), {OR_EMULATE}"
            )
        capability, known = torch.cuda.get_device_capability(), device.nvcc_capabilities(nvcc.path)
        if known and capability not in known:
            one = "an older" if capability < known[0] else "a newer"
            return (
                f"nvcc {nvcc.version} ({nvcc.path}) does not build for this GPU, which has compute capability "
                f"{capability[0]}.{capability[1]}: install {one} CUDA toolkit ({TOOLKITS}), {OR_EMULATE}"
            )
        return None

    def version(self) -> str:
        made_by = content_hash(*shim.MAKERS, Path(library.__file__), Path(__file__), *shim.COMPILED)
        return f"sm_{self._architecture()} {made_by} {_compilers().versions}"

    def build(self, source: Source, folder: Path) -> None:
        target = architecture_flags(self._architecture(), source.cuda_cflags)
        include = [f"-I{folder}" for folder in (INCLUDE, HEADERS, *source.include_paths)]
        nvcc = (_nvcc(), *FLAGS, "-Xcompiler=-MD,-save-temps=obj")  # what g++ makes is read, and the PTX
        compile_cuda = (*nvcc, "--keep", *target, *include, *source.cuda_cflags)
        # nvcc compiles this unit, since it knows where CUDA's headers are.
        compile_cpp = (*nvcc, *include, *(f"-Xcompiler={flag}" for flag in source.cflags))
        text = shim.cuda_text(source, _prelude(source))
        units = (
            _lean(Unit("cuda.cu", text, compile_cuda, (INCLUDE, HEADERS))),
            Unit("main.cpp", shim.cpp_text(source), compile_cpp, (INCLUDE, HEADERS)),
            shim.own_unit((_nvcc(), *FLAGS, f"-I{INCLUDE}"), THUNKS),
        )
        # -z now: no table of addresses remains writable.
        link = ("g++", "-shared", "-Wl,-z,relro,-z,now", *source.ldflags)
        shim.build(units, link, folder, shim.shown_sources(source), _compilers())

    def load(self, source: Source, folder: Path) -> dict[str, Callable]:
        from course.toolchains import native  # imports PyTorch, which a builder does not need

        return native.Library(folder / "module.so").functions(native.DeviceFunction)

    def _architecture(self) -> str:
        architecture = self.architecture or architecture_here()
        assert architecture  # `missing` returned None
        return architecture


def _prelude(source: Source) -> str:
    # torch's headers include these two, and cuda_fp16.h costs 0.2 s. Here they are included only if the source may use
    # them, and first, so that c10::Half and __half convert.
    text = " ".join((source.cuda, *source.cuda_cflags))
    half = "#include <cuda_fp16.h>\n" if re.search(r"\bhalf2?\b|\b__\w*half|\b__h[a-z]+\d?\b", text) else ""
    bfloat = "#include <cuda_bf16.h>\n" if "bfloat16" in text else ""
    return f'{half}{bfloat}#include "torch/types.h"\n#include <cuda.h>\n#include <cuda_runtime.h>\n'


def _lean(unit: Unit) -> Unit:
    """`unit` without strings, vectors and special functions, whose headers take half of the time of a kernel's build.

    Few kernels and wrappers use them. For the others, or if the source has errors, `unit` itself is compiled next.
    """
    text, command = f"#define COURSE_WITHOUT_STRINGS\n{unit.text}", (*unit.command, WITHOUT_SPECIAL_FUNCTIONS)
    return dataclasses.replace(unit, text=text, command=command, instead=unit)


def _nvcc() -> str:
    compiler = device.nvcc()
    if compiler is None:
        raise ToolchainMissing(f"nvcc was not found: {NVCC_FIX}")
    return str(compiler.path)


def _compilers() -> shim.Compilers:
    versions, folders = _installed(_nvcc())
    variables = library.variables("NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS")
    # What is listed beside an object depends on the code that lists it.
    return shim.Compilers(f"{versions} {variables} {content_hash(Path(symbols.__file__))}", folders)


def _system_folders() -> tuple[Path, ...]:
    """The folders in which g++ looks for headers by itself, without those of the user."""
    environment = {**os.environ, "LC_ALL": "C", **dict.fromkeys(library.USERS_FOLDERS, "")}
    command = ["g++", "-xc++", "-E", "-v", os.devnull]
    said = subprocess.run(command, env=environment, capture_output=True, text=True, check=False).stderr
    listed = said.partition("#include <...> search starts here:")[2]
    return tuple(Path(line.strip()) for line in listed.splitlines() if line.startswith(" /"))


@functools.cache
def _installed(nvcc: str) -> tuple[str, tuple[Path, ...]]:
    """The versions of the compilers and of PyTorch, and where the compilers' headers are."""
    version = subprocess.run([nvcc, "--version"], capture_output=True, text=True, check=False).stdout.strip()
    host, home = device.gxx(), device.cuda_home()  # nvcc uses g++ for host code
    assert home  # there is nvcc
    return f"{version} g++ {host and host.version} {shim.torch_version()}", (home, *_system_folders())
