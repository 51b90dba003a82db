"""`course doctor`: reports what this machine has, what is missing, and how to fix it."""

import os
import platform
import time
from collections.abc import Callable
from functools import partial

from course.device import arithmetic_peak, gpu, nvcc, nvidia_driver, sandbox_problem
from course.measure import copy_ms
from course.prepare import PROCESSORS, platform_problem

# PyTorch, and modules that import it, are imported inside functions, so that the doctor can report PyTorch missing.
TOOLCHAINS = ("nvcc", "emulator")  # as in course.build, which imports PyTorch

SELF_TEST = """
#include <torch/extension.h>

__global__ void add_kernel(const float* x, const float* y, float* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = x[i] + y[i];
}

torch::Tensor add(torch::Tensor x, torch::Tensor y) {
    auto z = torch::empty_like(x);
    int n = x.numel();
    add_kernel<<<(n + 255) / 256, 256>>>(x.data_ptr<float>(), y.data_ptr<float>(), z.data_ptr<float>(), n);
    return z;
}
"""


def doctor() -> int:
    """Print what is installed, and how to fix what is missing. Returns 0 if at least one toolchain works, else 1.

    Each toolchain whose parts are installed builds and runs a small vector addition, and its row says "ok" only if the
    sums are right. The row of an unexpected failure shows the error.
    """

    def line(what: str, state: str, text: str) -> None:
        print(f"{what:<20} {state:<8} {text}", flush=True)

    def check(what: str, find: Callable[[], tuple[str, str]]) -> bool:
        """Print the row that `find` returns, and return whether it is ok."""
        try:
            state, text = find()
        except Exception as error:  # after any error, the other rows must still be printed
            state, text = "broken", f"{type(error).__name__}: {error}"
        line(what, state, text)
        return state == "ok"

    if problem := platform_problem():
        print(problem)
        return 1
    line("platform", "ok", f"Linux, {PROCESSORS[platform.machine()]}, Python {platform.python_version()}")
    if not check("PyTorch", _torch_line):
        return 1
    check("GPU", _gpu_line)
    works = [name for name in TOOLCHAINS if check(f"toolchain {name}", partial(_toolchain_line, name))]
    check("counted traffic", _counting_line)
    check("bubblewrap", _bubblewrap_line)
    if os.environ.get("COURSE_CACHE_BASE"):
        check("shared cache", _shared_cache_line)
    if works:
        line("the course", "ok", f"works here, with the toolchain {' or '.join(works)}")
        return 0
    line("the course", "broken", "needs one toolchain that works: follow the advice in the row of one of them")
    return 1


def self_test(toolchain: str) -> float:
    """Build and run a vector addition, and return the seconds that this took. Raises the error if it fails.

    The source is different each time, so that no cached build hides a broken compiler.
    """
    import torch

    from course.build import load_inline

    start = time.monotonic()
    source = f"{SELF_TEST}// {time.time_ns()}\n"
    module = load_inline("course_self_test", cuda_sources=source, functions=["add"], toolchain=toolchain)
    x = torch.arange(1000.0, device="cpu" if toolchain == "emulator" else "cuda")
    if not torch.equal(module.add(x, 2 * x), 3 * x):
        raise RuntimeError("a vector addition built and ran, but its values are wrong")
    return time.monotonic() - start


def _torch_line() -> tuple[str, str]:
    from course.toolchains.pytorch import pytorch_problem

    if problem := pytorch_problem():
        return "broken", problem
    import torch

    return "ok", f"{torch.__version__}, built for {_torch_cuda()}"


def _toolchain_line(name: str) -> tuple[str, str]:
    from course.build import TOOLCHAINS as toolchains
    from course.toolchains.emulator import clang

    if reason := toolchains[name].missing():
        return "missing", reason
    seconds = self_test(name)
    tool = nvcc() if name == "nvcc" else None
    made_by = f"{tool.path}, version {tool.version}" if tool else f"the clang of ziglang {clang.VERSION}"
    return "ok", f"built and ran a vector addition in {seconds:.1f} s with {made_by}"


def _counting_line() -> tuple[str, str]:
    from course.toolchains.emulator import clang

    if reason := clang.missing():
        return "missing", reason
    from course.toolchains.emulator.self_test import counting_problem

    problem = counting_problem()
    return ("broken", problem) if problem else ("ok", "the count of a test kernel agrees with the count by hand")


def _bubblewrap_line() -> tuple[str, str]:
    if problem := sandbox_problem():
        return "missing", f"needed only to grade a class in a sandbox: {problem}"
    return "ok", "provides the sandbox for grading a class"


def _shared_cache_line() -> tuple[str, str]:
    from course.toolchains.cache import base_problem, shared_base
    from course.toolchains.emulator.library import runtime_folder

    base = shared_base()
    assert base
    if problem := base_problem(base):
        return "broken", problem
    if not runtime_folder().is_relative_to(base):
        return "missing", f"{base} has nothing that this version of the course can use; fill it with `course doctor`"
    return "ok", f"{base} has the emulator's runtime"


def _gpu_line() -> tuple[str, str]:
    if card := gpu():
        return "ok", (
            f"{card.name}, compute capability {card.capability[0]}.{card.capability[1]}, "
            f"{card.multiprocessors} multiprocessors, {card.memory / 2**30:.1f} GiB, L2 {card.l2 / 2**20:.0f} MiB, "
            f"driver {card.driver}, copies {_copy_bandwidth() / 1e9:.0f} GB/s, "
            f"fp32 peak {arithmetic_peak() / 1e12:.1f} TFLOP/s"
        )
    if driver := nvidia_driver():
        return "missing", (
            f"there is a GPU with driver {driver}, but this PyTorch, built for {_torch_cuda()}, cannot use it; "
            "install the build that fits your driver, see https://pytorch.org/get-started/locally"
        )
    return "missing", "kernels run in the emulator here; for real times use a machine with an NVIDIA GPU, or Colab"


def _copy_bandwidth() -> float:
    """Bytes per second, read plus written, of a device-to-device copy of at most 2 GiB."""
    import torch

    size = min(2 << 30, torch.cuda.mem_get_info()[0] // 2)
    return size / copy_ms(size) * 1e3


def _torch_cuda() -> str:
    import torch

    return f"CUDA {torch.version.cuda}" if torch.version.cuda else "the CPU only"
