"""CUDA that tests build, trace and judge: a folder belongs to the tests of one subject, a file outside to several.

A file's first line says what its kernels show. The lines `key: value` below it hold what a test expects
of the kernels, and the docstring of that test's file explains the keys. `launch: BLOCKS, THREADS`, as between `<<<` and
`>>>`, is for a file without a function: it gets one of its own name, which launches the file's last kernel with the
arguments `A`, a result `C` and their length `n`.
"""

from __future__ import annotations

import re
from pathlib import Path

from tests import heads
from tests.heads import Headed

FOLDER = Path(__file__).parent


def kernel(name: str) -> str:
    """The text of one file, head included, by its folder and name, as in `kernel("notebook/add")`."""
    return heads.read(FOLDER / f"{name}.cu").source


def kernels(folder: str) -> list[Headed]:
    """Every file of a folder, in the order of the file names."""
    return heads.read_all(FOLDER / folder)


def joined(folder: str, result: str = "empty_like") -> str:
    """All files of a folder as one source, for a single build. `shared.cuh`, which they may include, comes first.

    `result` is the function of PyTorch that makes the result of a file with `launch`.
    """
    shared = FOLDER / folder / "shared.cuh"
    first = [shared.read_text(encoding="utf-8")] if shared.exists() else []
    texts = (file.source + _wrapper(file, result) for file in kernels(folder))
    return "\n".join([*first, *(text.replace('#include "shared.cuh"\n', "") for text in texts)])


def _wrapper(file: Headed, result: str) -> str:
    if "launch" not in file.fields:
        return ""
    *_, kernel_name = re.findall(r"__global__ void (\w+)\(", file.source)
    return f"""torch::Tensor {file.name}(torch::Tensor A) {{
    torch::Tensor C = torch::{result}(A);
    const int n = A.numel();
    {kernel_name}<<<{file.fields["launch"]}>>>(A.data_ptr<float>(), C.data_ptr<float>(), n);
    return C;
}}
"""
