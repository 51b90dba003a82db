"""Builds with PyTorch's own `load_inline` and its real headers, in half a minute. Other toolchains must agree."""

from __future__ import annotations

import contextlib
import hashlib
import inspect
import io
import os
import shutil
import sysconfig
from collections.abc import Callable
from pathlib import Path

from course import device
from course.errors import BuildError
from course.toolchains import compiler, depfiles
from course.toolchains.base import HEADERS, Source
from course.toolchains.cache import cached, content_hash
from course.toolchains.emulator.gxx import system_folders
from course.toolchains.nvcc import nvcc_problem
from course.toolchains.pytorch import pytorch_folder
from course.toolchains.shim.units import CUDA, MAKERS, prototypes, shown_sources, torch_version


class TorchExtension:
    """`Toolchain` that hands the source to PyTorch's own `load_inline`.

    Each build has its own name and folder, so that modules of one process never replace each other.
    """

    name = "torch"

    def missing(self) -> str | None:
        if problem := nvcc_problem():
            return problem
        if shutil.which("ninja") is None:
            return "ninja was not found: pip install ninja."
        return None

    def version(self) -> str:
        import torch

        nvcc = device.nvcc()
        assert nvcc  # not `missing`
        target = f"{os.environ.get('TORCH_CUDA_ARCH_LIST', '')} {torch.cuda.get_device_capability()}"
        return f"{torch_version()} nvcc {nvcc.version} {target} {content_hash(*MAKERS, HEADERS, Path(__file__))}"

    def build(self, source: Source, folder: Path) -> None:
        """Builds. The folder is renamed afterwards, and the library is imported from its new place."""
        from torch.utils import cpp_extension

        # By default, PyTorch uses the folder above the nvcc on the path, and this nvcc may be only a wrapper.
        home = device.cuda_home()
        assert home  # not `missing`
        cpp_extension.CUDA_HOME = str(_whole(home))
        cpp = source.cpp if source.cpp is not None else prototypes(source)
        bound = dict(source.functions) if source.functions is not None else None
        name = f"course_{hashlib.sha256(repr(source).encode()).hexdigest()[:12]}"
        log = folder / "build.log"
        output = io.StringIO()
        try:
            # PyTorch changes the lists that are passed to it, so it gets new lists. It numbers a name that it has seen
            # with another source, so each source has its own name.
            with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
                # PyTorch's own function, even in a worker, where the course's function has replaced it.
                inspect.unwrap(cpp_extension.load_inline)(
                    name, [cpp], [f'#line 1 "{CUDA}"\n{source.cuda}'] if source.cuda else None,
                    functions=bound, extra_cflags=list(source.cflags), extra_cuda_cflags=list(source.cuda_cflags),
                    extra_ldflags=[*_libstdcxx(), *source.ldflags],
                    extra_include_paths=[str(HEADERS), *source.include_paths], build_directory=str(folder),
                    is_python_module=True, **dict(source.options),
                )  # fmt: skip
        except (RuntimeError, ImportError) as error:
            text = f"{output.getvalue()}\n{error}"
            log.write_text(text)
            shown = shown_sources(source)
            raise BuildError(compiler.shorten(text, shown), log, compiler.error_lines(text, shown)) from None
        log.write_text(output.getvalue())
        built = (folder / "build.ninja").exists()  # else nothing was compiled
        read = (
            compiler.listed(["ninja", "-t", "deps"], folder).splitlines() if built else []
        )  # a file per line, indented
        known = (pytorch_folder(), Path(sysconfig.get_path("include")), home, *system_folders())
        depfiles.note((line.strip() for line in read if line.startswith(" ")), folder, known)

    def load(self, source: Source, folder: Path) -> dict[str, Callable]:
        from importlib import util

        library = next(folder.glob("*.so"))
        spec = util.spec_from_file_location(library.stem, library)
        assert spec and spec.loader
        module = util.module_from_spec(spec)
        spec.loader.exec_module(module)
        names = [n for n, _ in source.functions] if source.functions is not None else dir(module)
        return {n: getattr(module, n) for n in names if not n.startswith("__")}


def _libstdcxx() -> list[str]:
    """The file of this process's libstdc++. If it is named first, it takes precedence over a libstdc++ in the module.

    On some machines, g++ links libstdc++ statically (by `-static-libstdc++`, or because it finds no shared library).
    The module's copy and PyTorch's copy then share some symbols but not others: a TORCH_CHECK with a number in its
    message loses the number, or crashes.
    """
    maps = Path("/proc/self/maps").read_text().splitlines()
    return sorted({line.split()[-1] for line in maps if "/libstdc++.so" in line})[:1]


def _whole(home: Path) -> Path:
    """`home` in the layout that PyTorch needs: NVIDIA's wheels lack `lib64` and an unversioned libcudart.

    A folder of links in the build cache has this layout. Its `bin` is not a link, because nvcc looks for its parts
    beside itself.
    """
    if (home / "lib64").is_dir():
        return home

    def link(folder: Path) -> None:
        for theirs, ours in (("bin", "bin"), ("lib", "lib64")):
            (folder / ours).mkdir()
            for file in (home / theirs).iterdir():
                (folder / ours / file.name).symlink_to(file)
        for name in ("include", "nvvm"):
            (folder / name).symlink_to(home / name)
        (folder / "lib64" / "libcudart.so").symlink_to(next((home / "lib").glob("libcudart.so.*")))

    return cached("cuda-home", f"{home} {device.nvcc()}", link)
