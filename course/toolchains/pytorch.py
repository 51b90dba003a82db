"""The installed PyTorch, without importing it, and what the course needs beyond its public interface."""

import ctypes
import functools
import importlib.util
import os
import pkgutil
import re
import runpy
from pathlib import Path

from course.toolchains.base import INCLUDE

# docs/notes.md says what was tried with each version. No version is refused for its number: newer versions usually
# work.
KNOWN_TO_WORK = "2.11 to 2.15"
PRIVATE_NAMES = (
    "torch._C._aoti.unsafe_alloc_void_ptr_from_tensor",
    "torch._C._aoti.alloc_tensors_by_stealing_from_void_ptrs",
    "torch._C.DisableTorchFunction",
    "torch._C.DispatchKey",
    "torch._C.DispatchKeySet",
    "torch._C._dispatch_get_all_op_names",
    "torch._C.parse_schema",
    "torch._ops.OpOverload",
    "torch.multiprocessing.reductions.StorageWeakRef",
    "torch.utils._device.CURRENT_DEVICE",
    "torch.utils._device._device_constructors",
    "torch.utils._python_dispatch.TorchDispatchMode",
    "torch.utils._python_dispatch._disable_current_modes",
    "torch.utils._pytree.tree_leaves",
    "torch.utils.deterministic.fill_uninitialized_memory",
    "torch.utils.flop_counter.flop_registry",
)


@functools.cache
def pytorch_folder() -> Path:
    """The folder of the installed package. Importing it takes a second and 200 MB, which a builder can avoid."""
    spec = importlib.util.find_spec("torch")
    assert spec and spec.origin
    return Path(spec.origin).parent


@functools.cache
def pytorch_version() -> tuple[str, str | None]:
    """PyTorch's version, as `torch.__version__` has it, and the version of CUDA that it was built with."""
    names = runpy.run_path(str(pytorch_folder() / "version.py"))
    return names["__version__"], names["cuda"]


@functools.cache
def c_functions() -> frozenset[str]:
    """PyTorch's C functions that built modules call, as the shim's header declares them."""
    return frozenset(re.findall(r"\baoti_torch_\w+", (INCLUDE / "course" / "aoti.h").read_text()))


def pytorch_problem() -> str | None:
    """Why the course cannot work with the installed PyTorch, in one sentence; None if it can."""
    if not importlib.util.find_spec("torch"):
        return "PyTorch is not installed here: pip install torch (or course lab, which chooses the build that fits)."
    import torch

    if not torch.cuda.is_available():
        os.environ.setdefault("TRITON_INTERPRET", "1")  # for notebook 13; some of the modules below import Triton
    missing = [name for name in PRIVATE_NAMES if not _exists(name)]
    libraries = _libraries(Path(torch.__file__).parent / "lib", with_cuda=bool(torch.version.cuda))
    of_cuda = set() if torch.version.cuda else {"aoti_torch_get_current_cuda_stream"}
    missing += sorted(
        name for name in c_functions() - of_cuda if not any(hasattr(library, name) for library in libraries)
    )
    if not missing:
        return None
    return (
        f"PyTorch {torch.__version__} lacks {', '.join(missing)}, which the course needs: install a version that is "
        f"known to work, {KNOWN_TO_WORK}."
    )


def _exists(name: str) -> bool:
    try:
        pkgutil.resolve_name(name)
    except (ImportError, AttributeError):
        return False
    return True


def _libraries(folder: Path, with_cuda: bool) -> list[ctypes.CDLL]:
    """PyTorch's libraries, which `import torch` has loaded already."""
    names = ["libtorch_cpu.so"] + ["libtorch_cuda.so"] * with_cuda
    return [ctypes.CDLL(str(folder / name)) for name in names]
