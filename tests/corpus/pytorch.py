"""PyTorch's own `load_inline` with its real headers, which the shim must agree with: half a minute for each build."""

from __future__ import annotations

import contextlib
import hashlib
import io
from pathlib import Path
from types import ModuleType

from torch.utils import cpp_extension

from course.errors import BuildError
from course.toolchains import compiler
from course.toolchains.base import HEADERS, Source
from course.toolchains.shim.units import CUDA, prototypes, shown_sources


def build(source: Source, folder: Path) -> ModuleType:
    """The module of `source`, built in `folder`. Raises BuildError with the errors as the course shows them."""
    cpp = source.cpp if source.cpp is not None else prototypes(source)
    # PyTorch numbers a name that it has seen with another source.
    name = f"course_{hashlib.sha256(repr(source).encode()).hexdigest()[:12]}"
    output = io.StringIO()
    try:
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
            return cpp_extension.load_inline(
                name, [cpp], [f'#line 1 "{CUDA}"\n{source.cuda}'],
                functions=dict(source.functions) if source.functions is not None else None,
                extra_ldflags=_libstdcxx(), extra_include_paths=[str(HEADERS)], build_directory=str(folder),
            )  # fmt: skip
    except (RuntimeError, ImportError) as error:
        raise BuildError(compiler.shorten(f"{output.getvalue()}\n{error}", shown_sources(source))) from None


def _libstdcxx() -> list[str]:
    """The file of this process's libstdc++, named first. A module with its own one may crash."""
    maps = Path("/proc/self/maps").read_text().splitlines()
    return sorted({line.split()[-1] for line in maps if "/libstdc++.so" in line})[:1]
