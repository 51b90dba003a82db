"""The two floors of a memory-bound kernel, from its launch and its compiled code, beside the times recorded for it.

A floor is a time that a kernel cannot beat on an H200. *Starts*: all blocks have to start. *Reads*: all bytes have to
be read, and a multiprocessor has a limited number of them in flight (Little's law). The rate of starts was fitted to
notebook 02's blocks of 32 threads, and the latency to its one load per thread, so these two kernels test nothing. The
others do. A kernel that loops over its data has loads of several rounds in flight, so the floors of such kernels are
not known.
"""

from __future__ import annotations

import ast
import math
import re
from pathlib import Path
from typing import NamedTuple

import nbformat
import pytest

from autograder.classroom import ROOT
from course import device, recorded
from course.build import Function, bindable_functions, load_inline
from course.notebook.trace import trace
from course.tasks import Case, load_task
from course.toolchains.base import Source
from course.toolchains.nvcc import Nvcc
from tests.sources import in_one_file

STARTS_PER_SECOND = 1.66e9
LATENCY = 0.78e-6  # s for which a thread with one load takes up its slot (notebook 02, section 5)
MULTIPROCESSORS, THREADS, BLOCKS, REGISTERS = 132, 2048, 32, 65536  # the last three of a multiprocessor
SLACK = 0.97

NOTEBOOKS = ("00-first-kernel", "01-row-scaling", "02-scalar-multiply", "05-float4-relu")
LOOPS = (
    *("one thread per row", "one block per row", "grid-stride loop"),
    *("one float", "float4", "step blockDim.x"),  # 05's loops over a row
)
# The higher floor of each kernel that takes at least a tenth longer than a copy of its bytes: the texts of
# the notebooks name it.
BINDING = {
    ("axpy", "one fused kernel"): "reads",
    ("row_scaling", "one thread per element"): "reads",
    ("row_scaling", "2-D grid"): "reads",
    **{("scalar_multiply_sweep", f"blocks of {threads}"): "starts" for threads in (32, 64, 128)},
    **{("scalar_multiply_sweep", f"blocks of {threads}"): "reads" for threads in (256, 512, 1024)},
    **{("scalar_multiply_loads", label): "reads" for label in ("1 load per thread", "2 loads per thread")},
    ("scalar_multiply", "one thread per element"): "reads",
}


class Variant(NamedTuple):
    """A kernel of a notebook that `compare` times: its text, its function, its task and its label in `compare`."""

    text: str
    function: str
    task: str
    label: str


def variants() -> list[Variant]:
    found = []
    for name in NOTEBOOKS:
        cells = nbformat.read(ROOT / "solutions" / name / f"{name}.ipynb", as_version=4).cells
        texts = {}
        for cell in cells:
            if cell.source.startswith("%%cuda "):
                head, _, text = cell.source.partition("\n")
                texts[head.split()[1]] = text
            elif "compare(" in cell.source:
                call = next(
                    n
                    for n in ast.walk(ast.parse(cell.source))
                    if getattr(getattr(n, "func", None), "id", "") == "compare"
                )
                task = call.keywords[0].value.value
                for label, of in zip(call.args[0].keys, call.args[0].values, strict=True):
                    if isinstance(of, ast.Attribute) and label.value not in LOOPS:
                        found.append(Variant(texts[of.value.id], of.attr, task, label.value))
    return found


class Block(NamedTuple):
    """One block of a launch: its threads, the bytes that it stores, those that it reads only once, and those in flight.

    `in_flight` has the bytes that a thread has requested before its first store.
    """

    threads: int
    read: int
    stored: int
    in_flight: int
    kernel: str


def block_of(function: Function, task: str) -> Block:
    small = {"N": 1 << 16} if task == "axpy" else {"M": 8, "N": 1 << 13}
    accesses = trace(function, *load_task(task).inputs(Case(small), 1, "cpu")).accesses
    loaded: dict[str, list[int]] = {}
    for access in accesses:
        if access.op == "load":
            loaded.setdefault(access.array, []).append(access.offset)
    once = {array for array, offsets in loaded.items() if len(set(offsets)) == len(offsets)}  # not A, shared by a row
    threads = {access.thread for access in accesses}
    first = [access for access in accesses if access.thread == (0, 0, 0)]
    before = first[: next(n for n, access in enumerate(first) if access.op == "store")]
    return Block(
        threads=len(threads),
        read=sum(a.bytes_each for a in accesses if a.op == "load" and a.array in once),
        stored=sum(a.bytes_each for a in accesses if a.op == "store"),
        in_flight=sum(a.bytes_each for a in before if a.array in once),
        kernel=accesses[0].kernel,
    )


def registers_of(texts: list[str], folder: Path) -> dict[str, int]:
    """The registers per thread of each kernel, by its mangled name in `in_one_file`, as ptxas says."""
    joined = in_one_file({str(number): text for number, text in enumerate(texts)})
    Nvcc("90").build(Source(cuda=joined, functions=(), cuda_cflags=("-Xptxas=-v",)), folder)
    log = (folder / "build.log").read_text()
    return {name: int(n) for name, n in re.findall(r"entry function '(\w+)'.*?Used (\d+) registers", log, re.DOTALL)}


@pytest.mark.slow
def test_no_kernel_is_faster_than_its_floors_and_the_higher_one_is_known(tmp_path: Path) -> None:
    if device.nvcc() is None:
        pytest.skip("nvcc is not installed")
    found = variants()
    texts = list(dict.fromkeys(variant.text for variant in found))
    registers = registers_of(texts, tmp_path)
    modules = [
        load_inline("kernels", cuda_sources=text, functions=bindable_functions(text), toolchain="emulator")
        for text in texts
    ]
    binding, faster = {}, []
    for text, function, task, label in found:
        number = texts.index(text)
        block = block_of(getattr(modules[number], function), task)
        namespace = f"{len(f'n_{number}')}n_{number}"
        used = max(count for name, count in registers.items() if namespace in name and block.kernel in name)
        warps = REGISTERS // (math.ceil(used * 32 / 256) * 256)  # registers are allocated to warps in units of 256
        resident = min(BLOCKS, min(THREADS, warps * 32) // block.threads) * block.threads
        times = recorded.read(task)
        blocks = math.prod(times.sizes.values()) * 4 / block.stored
        in_flight = MULTIPROCESSORS * resident * block.in_flight
        floors = {
            "starts": blocks / STARTS_PER_SECOND * 1e3,
            "reads": blocks * block.read / (in_flight / LATENCY) * 1e3,
        }
        measured = times.variants[label].median_ms
        if measured < SLACK * max(floors.values()):
            faster.append(f"{task}, {label}: {measured:.4f} ms, floors {floors}")
        if measured > 1.1 * times.copy_ms:
            binding[task, label] = max(floors, key=floors.__getitem__)
        print(f"{task}, {label}: {measured:.4f} ms; {floors}; {used} registers, {resident} threads resident")
    assert faster == []
    assert binding == BINDING
