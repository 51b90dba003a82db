"""What this machine has: the GPU, its arithmetic roof, the compilers."""

import ctypes
import functools
import importlib.util
import os
import re
import shutil
import subprocess
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch

EMULATED = ("emulator", "traced")  # the toolchains whose tensors are on the CPU

# Options of bubblewrap: the namespaces that the autograder's sandbox does not share with the machine.
SPACES = ("--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts")
OF_A_USER = ("--unshare-user", "--uid", "0", "--gid", "0")  # this user can mount /proc again, so no worker runs as it

USUAL_NVCC = "/usr/local/cuda/bin/nvcc"

# 32-bit floating-point multiply-adds per clock per multiprocessor, by compute capability. All others do 128.
# Source: CUDA C++ Programming Guide, "Arithmetic Instructions", table of throughputs of native arithmetic instructions.
FMA_PER_CLOCK = {(6, 0): 64, (7, 0): 64, (7, 2): 64, (7, 5): 64, (8, 0): 64}


@dataclass(frozen=True)
class GPU:
    """The GPU that PyTorch would use, with the version of its driver; memory and L2 cache in bytes."""

    name: str
    capability: tuple[int, int]
    multiprocessors: int
    memory: int
    l2: int
    driver: str


@dataclass(frozen=True)
class Tool:
    """A compiler: its path, and the version that it reports."""

    path: Path
    version: str


@functools.cache
def gpu() -> GPU | None:
    """The GPU that PyTorch would use; None if there is none, or its driver is missing or too old."""
    import torch

    with warnings.catch_warnings():  # PyTorch warns on stderr if the driver is too old; `doctor` says more
        warnings.simplefilter("ignore")
        if not torch.cuda.is_available():
            return None
    p = torch.cuda.get_device_properties(torch.cuda.current_device())
    return GPU(
        name=p.name,
        capability=(p.major, p.minor),
        multiprocessors=p.multi_processor_count,
        memory=p.total_memory,
        l2=p.L2_cache_size,
        driver=nvidia_driver() or "of unknown version",
    )


def this_gpu() -> GPU:
    """The GPU of a machine that is known to have a GPU. Unlike the result of `gpu`, this result is never None."""
    card = gpu()
    assert card
    return card


def nvidia_driver() -> str | None:
    """The version of NVIDIA's driver that `nvidia-smi` reports, whether or not PyTorch can use it; None without one."""
    smi = shutil.which("nvidia-smi")
    return smi and _first_line([smi, "--query-gpu=driver_version", "--format=csv,noheader"])


@functools.cache
def driver_cuda() -> tuple[int, int] | None:
    """The newest CUDA release that NVIDIA's driver supports, such as (12, 8); None without a driver."""
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return None
    version = ctypes.c_int()
    known = driver.cuDriverGetVersion(ctypes.byref(version)) == 0  # CUDA's numbers are 1000 * major + 10 * minor
    return divmod(version.value // 10, 100) if known and version.value else None


def device() -> str:
    """The device of a notebook's tensors: "cuda" if there is a GPU, unless `COURSE_TOOLCHAIN` names the emulator."""
    return "cuda" if gpu() and os.environ.get("COURSE_TOOLCHAIN") not in EMULATED else "cpu"


def __getattr__(name: str) -> str:
    if name == "DEVICE":
        return device()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


@functools.cache
def arithmetic_peak() -> float:
    """The highest rate of fp32 arithmetic of this machine's GPU, in operations per second. A multiply-add is two.

    The rate is multiprocessors x multiply-adds per clock x 2 x highest clock. The number of multiply-adds is from
    `FMA_PER_CLOCK`, and the driver reports the clock. PyTorch raises an error if there is no GPU.
    """
    import torch

    p = torch.cuda.get_device_properties(torch.cuda.current_device())
    return p.multi_processor_count * FMA_PER_CLOCK.get((p.major, p.minor), 128) * 2 * p.clock_rate * 1e3


def free_memory(device: "str | torch.device") -> int:
    """Bytes that can still be allocated on `device`."""
    import torch

    if torch.device(device).type == "cuda":
        return torch.cuda.mem_get_info(device)[0]
    with open("/proc/meminfo") as lines:
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable"))


def nvcc() -> Tool | None:
    """The nvcc in `CUDA_HOME` or `CUDA_PATH`, else the nvcc on the path, in the usual place, or in NVIDIA's wheels.

    None if nvcc is in none of these places, or does not report a version.
    """
    home = os.environ.get("CUDA_HOME") or os.environ.get("CUDA_PATH")
    found = [home and Path(home, "bin/nvcc"), shutil.which("nvcc"), USUAL_NVCC, *_nvcc_of_wheels()]
    path = next((Path(p) for p in found if p and os.access(p, os.X_OK)), None)
    version = path and _version(path, r"V(\d[\d.]*)")
    return Tool(path, version) if path and version else None


@functools.cache
def nvcc_capabilities(nvcc: Path) -> tuple[tuple[int, int], ...]:
    """The compute capabilities that an nvcc builds for, such as (9, 0), ascending; empty if it does not list them."""
    listed = subprocess.run([nvcc, "--list-gpu-arch"], capture_output=True, text=True).stdout
    return tuple(sorted(divmod(int(number), 10) for number in re.findall(r"^compute_(\d+)$", listed, re.MULTILINE)))


def _nvcc_of_wheels() -> list[Path]:
    """Where `pip install .[cuda]` has put nvcc: in the namespace package `nvidia`, newest first."""
    package = importlib.util.find_spec("nvidia")
    folders = (package and package.submodule_search_locations) or ()
    return sorted((path for folder in folders for path in Path(folder).glob("cu*/bin/nvcc")), reverse=True)


def gxx() -> Tool | None:
    """nvcc's host compiler: the g++ on the path, or None if no g++ is there or g++ does not report a version."""
    path = shutil.which("g++")
    version = path and _version(Path(path), r"\) (\d[\d.]*)")
    return Tool(Path(path), version) if path and version else None


def cuda_home() -> Path | None:
    """The folder that nvcc itself reports, since the nvcc on the path may be a wrapper elsewhere; None without nvcc."""
    tool = nvcc()
    if not tool:
        return None
    dry_run = subprocess.run([tool.path, "--dryrun", "-x", "cu", os.devnull], capture_output=True, text=True).stderr
    top = re.search(r"^#\$ TOP=(.+)$", dry_run, re.MULTILINE)
    return Path(top[1].strip()).resolve() if top else tool.path.resolve().parent.parent


@functools.cache
def _version(compiler: Path, pattern: str) -> str | None:
    try:
        text = subprocess.run([compiler, "--version"], capture_output=True, text=True).stdout
    except OSError:
        return None
    match = re.search(pattern, text)
    return match and match[1]


def _first_line(command: list[str]) -> str | None:
    done = subprocess.run(command, capture_output=True, text=True)
    return done.stdout.splitlines()[0].strip() if done.returncode == 0 and done.stdout.strip() else None


def sandbox_problem() -> str | None:
    """Why bubblewrap cannot make a sandbox on this machine, with the fix. None if it can make a sandbox."""
    for program, package in (("bwrap", "bubblewrap"), ("prlimit", "util-linux")):
        if shutil.which(program) is None:
            return f"{program} was not found: install it (on Debian and Ubuntu: apt install {package})"
    if problem := _namespaces_problem(namespaces()):
        return (
            f"bubblewrap cannot make a sandbox here ({problem}): it must be version 0.8 or newer. If you are not root, "
            "user namespaces must be allowed (sysctl kernel.unprivileged_userns_clone=1 user.max_user_namespaces=10000 "
            "kernel.apparmor_restrict_unprivileged_userns=0, without the settings that your kernel lacks). A container "
            "must be started with --security-opt seccomp=unconfined and, unless you are root in it, "
            "--security-opt systempaths=unconfined"
        )
    return None


@functools.cache
def namespaces() -> tuple[str, ...]:
    """The namespaces of a sandbox. Root needs no user namespace, except in a container that limits root."""
    return (*SPACES, *OF_A_USER) if os.getuid() or _namespaces_problem(SPACES) else SPACES


@functools.cache
def _namespaces_problem(unshared: tuple[str, ...]) -> str:
    """Why bubblewrap cannot make these namespaces, or "" if it can."""
    mounts = ("--ro-bind", "/", "/", "--proc", "/proc", "--size", "4096", "--tmpfs", "/tmp")
    done = subprocess.run(["bwrap", *unshared, *mounts, "true"], capture_output=True, text=True)
    return (done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1] if done.returncode else ""
