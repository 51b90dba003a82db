"""The kernels of notebook 09 in many settings, beside cuBLAS, to find the constants that suit this GPU.

`python -m tests.benchmarks.matmul FILE.json [NAME ...]`, on a GPU with nvcc; if names are given, only these settings
are run. Each variant is the notebook's own source with other constants. It is built, and its error at each size is
found, in a process of its own, so that a failure ends no other variant; several such processes run at a time. Then all
variants that are right take turns on the GPU. Prints a table for each size; the file has all values.
"""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import nbformat
import torch

from course.build import bindable_functions, load_inline
from course.measure import summary, time_interleaved

SOLUTIONS = Path(__file__).parents[2] / "solutions"
KERNELS = Path(__file__).parents[2] / "course" / "kernels"  # the files that cells load, by name
NOTEBOOKS = [SOLUTIONS / name / f"{name}.ipynb" for name in ("04-tiled-matmul", "09-beat-cublas")]
SIZES = ((2048, 4096, 8192), (4096, 4096, 4096), (2047, 4093, 8191), (1000, 3000, 5000), (4100, 4100, 4100))  # M, N, K
ROUNDS = 20
PROBES = 8  # processes at a time
PROBE_SECONDS = 100
WRONG = 1e-4  # a result with a larger relative error is wrong, and not only rounded: one TF32 product has some 3e-4
LIBRARY = "cuBLAS"

Setting = tuple[str, str, dict[str, str]]  # the cell, the function, the constants that replace its own


def one_tile(rows: int, columns: int, mine: int) -> dict[str, str]:
    """The setting in which the kernel of notebook 09 has only that tile, with `mine` rows per thread."""
    return {"kTiles[]": f"{{tile<{rows}, {columns}, {mine}>()}}"}


def settings() -> Iterator[tuple[str, Setting]]:
    """Every variant by its name."""
    yield "32 x 32 tiles", ("04-tile-of-b", "padded_32", {})
    yield "registers", ("04-registers", "transposed_matmul", {})
    yield "wide, unpadded", ("09-wide", "unpadded", {})
    yield "wide, padded", ("09-wide", "padded", {})
    for stages in ("2", "3", "4"):
        yield f"pipelined, {stages} stages", ("09-pipelined", "transposed_matmul", {"kStages": stages})
    yield "by shape", ("09-shape", "transposed_matmul", {})
    for rows, columns, mine in ((128, 128, 16), (128, 64, 16), (64, 64, 16), (128, 128, 8), (128, 64, 8), (64, 64, 8)):
        for depth, stages in (("8", "3"), ("8", "4"), ("16", "2")):
            constants = one_tile(rows, columns, mine) | {"kDepth": depth, "kStages": stages}
            name = f"{rows} x {columns} x {depth}, {mine} x 8 a thread, {stages} stages"
            yield name, ("09-shape", "transposed_matmul", constants)
    for rows, columns, blocks in (("128", "64", "2"), ("64", "128", "2"), ("128", "128", "1")):
        for stages in ("2", "3"):
            constants = {"kTileI": rows, "kTileJ": columns, "kStages": stages, "kBlocks": blocks}
            yield f"mma {rows} x {columns}, {stages} stages", ("mma", "three_products", constants)
    yield "wgmma", ("wgmma", "three_products", {})


def text_of(cell_id: str) -> str:
    cells = [cell for path in reversed(NOTEBOOKS) for cell in nbformat.read(path, as_version=4).cells]
    return next(cell.source for cell in cells if cell.id == cell_id)


def cuda_flags(cell_id: str) -> list[str]:
    """The `extra_cuda_cflags` with which a cell builds."""
    found = re.search(r"extra_cuda_cflags=(\[.*?\])", text_of(cell_id))
    return ast.literal_eval(found[1]) if found else []


def cuda_source(cell_id: str, constants: dict[str, str]) -> str:
    """The CUDA text of a cell with other `constants`. The text is the cell's own, a string in it, or the file that it
    loads.

    Raises ValueError for a constant that the text does not have.
    """
    text, file = text_of(cell_id), KERNELS / f"{cell_id}.cu"
    if file.exists():
        text = file.read_text()
    else:
        text = text.partition("\n")[2] if text.startswith("%%cuda") else text.split('"""')[1]
    for name, value in constants.items():
        pattern = rf"\b{re.escape(name)} = (?:\{{.*?\}}(?=;)|[^,;]+)"
        text, found = re.subn(pattern, f"{name} = {value}", text, count=1)
        if not found:
            raise ValueError(f"The cell {cell_id} has no constant {name}.")
    return text


def function_of(setting: Setting) -> Callable[..., torch.Tensor]:
    """The function of a variant, built."""
    cell_id, function, constants = setting
    source = cuda_source(cell_id, constants)
    module = load_inline(
        "variant",
        cuda_sources=source,
        functions=bindable_functions(source),
        extra_cuda_cflags=cuda_flags(cell_id),
        toolchain="nvcc",
    )
    return getattr(module, function)


def library(A: torch.Tensor, B: torch.Tensor) -> torch.Tensor:
    return A.T @ B.T


def library_tf32(A: torch.Tensor, B: torch.Tensor) -> torch.Tensor:
    before, torch.backends.cuda.matmul.fp32_precision = torch.backends.cuda.matmul.fp32_precision, "tf32"
    try:
        return A.T @ B.T
    finally:
        torch.backends.cuda.matmul.fp32_precision = before


PEERS = {LIBRARY: library, "cuBLAS, (B @ A).T": lambda A, B: (B @ A).T, "cuBLAS, one TF32 product": library_tf32}


def inputs(M: int, N: int, K: int) -> tuple[torch.Tensor, torch.Tensor]:
    """A (K, M) and B (N, K), new at each call, with both signs and with magnitudes over four powers of ten."""
    torch.seed()

    def drawn(*shape: int) -> torch.Tensor:
        return torch.randn(shape, device="cuda") * 10 ** (torch.rand(shape, device="cuda") * 4 - 2)

    return drawn(K, M), drawn(N, K)


def probe(name: str) -> dict[str, float | str]:
    """The relative error of the variant or baseline against float64, by size; a sentence if it does not run."""
    function = PEERS[name] if name in PEERS else function_of(dict(settings())[name])
    found: dict[str, float | str] = {}
    for size in SIZES:
        A, B = inputs(*size)
        exact = A.double().T @ B.double().T
        try:
            C = function(A, B)
            torch.cuda.synchronize()
            found[str(size)] = ((C - exact).norm() / exact.norm()).item()
        except RuntimeError as error:
            found[str(size)] = str(error).partition("\n")[0]
    return found


def probed(name: str) -> dict[str, float | str]:
    """`probe` in a process of its own."""
    command = [sys.executable, "-m", "tests.benchmarks.matmul", "--probe", name]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=PROBE_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return dict.fromkeys(map(str, SIZES), f"takes more than {PROBE_SECONDS} s")
    if done.returncode == 0:
        return json.loads(done.stdout.splitlines()[-1])
    last = (done.stderr.strip().splitlines() or [f"ended with {done.returncode}"])[-1]
    return dict.fromkeys(map(str, SIZES), last)


def main() -> int:
    """Probe every variant, time those that are right, and print this. Returns 1 if the library itself is not right."""
    match sys.argv[1:]:
        case ["--probe", name]:
            print(json.dumps(probe(name)))
            return 0
        case [file, *chosen]:
            path = Path(file)
        case _:
            print(__doc__, file=sys.stderr)
            return 2
    variants = {name: setting for name, setting in settings() if not chosen or name in chosen}
    names = [*PEERS, *variants]
    with ThreadPoolExecutor(min(PROBES, len(os.sched_getaffinity(0)))) as pool:
        errors = dict(zip(names, pool.map(probed, names), strict=True))
    functions = PEERS | {
        name: function_of(variants[name])
        for name in variants
        if any(isinstance(error, float) for error in errors[name].values())
    }
    results = []
    for size in SIZES:
        M, N, K = size
        A, B = inputs(M, N, K)
        of_size = {name: errors[name][str(size)] for name in names}
        right = [name for name, e in of_size.items() if isinstance(e, float) and (e < WRONG or name in PEERS)]
        times = time_interleaved({name: partial(functions[name], A, B) for name in right}, ROUNDS)
        medians = {name: summary(samples) for name, samples in times.items()}
        if LIBRARY not in medians:
            print(f"{LIBRARY} at {size}: {of_size[LIBRARY]}", file=sys.stderr)
            return 1
        print(f"\nM = {M}, N = {N}, K = {K} on {torch.cuda.get_device_name()}")
        for name in sorted(right, key=lambda name: medians[name].median_ms):
            ms, (low, high) = medians[name].median_ms, medians[name].iqr_ms
            print(
                f"  {name:52} {ms:8.3f} ms ({low:.3f} to {high:.3f}) {2e-9 * M * N * K / ms:7.1f} TFLOP/s,"
                f" {medians[LIBRARY].median_ms / ms:5.2f} of {LIBRARY}, error {of_size[name]:.1e},"
                f" {of_size[name] / of_size[LIBRARY]:.2f} times its"
            )
        for name in names:
            if name not in right:
                print(f"  {name:52} not timed: {of_size[name]}")
        results += [
            {"variant": name, "M": M, "N": N, "K": K, "error": of_size[name]}
            | ({"ms": medians[name].median_ms, "iqr_ms": medians[name].iqr_ms} if name in medians else {})
            for name in names
        ]
        # Written after each size, in case the next one ends the process.
        path.write_text(json.dumps({"device": torch.cuda.get_device_name(), "results": results}, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
