"""The header of the wrapper's checks, `course/checks.h`: every toolchain finds it. tests/corpus has its messages."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import torch

import course
from course import device
from course.build import load_inline
from course.errors import BuildError
from course.referee.judge import judge
from course.tasks import Case
from course.toolchains.base import HEADERS, INCLUDE, Source
from course.toolchains.nvcc import Nvcc
from course.worker.protocol import Answer
from tests.kernels import kernel

ADDS = kernel("toolchains/checked_add")


def refusal(source: str) -> str:
    with pytest.raises(BuildError) as caught:
        load_inline("adder", cuda_sources=source, functions="add", toolchain="emulator")
    return str(caught.value)


def test_an_answer_that_includes_it_is_judged() -> None:
    verdict = judge(Answer("cuda", ADDS, "add"), "vector_add", cases=[Case({"N": 100})], toolchain="emulator")
    assert verdict.correct, verdict.text()


def test_its_folder_may_be_named_as_for_pytorch() -> None:
    paths = [course.include_path()]
    module = load_inline("a", cuda_sources=ADDS, functions="add", toolchain="emulator", extra_include_paths=paths)
    assert torch.equal(module.add(torch.ones(3), torch.ones(3)), torch.full((3,), 2.0))


@pytest.mark.skipif(device.nvcc() is None, reason="nvcc is not installed")
def test_nvcc_finds_it(tmp_path: Path) -> None:
    Nvcc("75").build(Source(cuda=ADDS, functions=(("add", ""),)), tmp_path)


@pytest.mark.gpu
@pytest.mark.skipif(torch.cuda.device_count() < 2, reason="needs two GPUs")
def test_a_wrapper_launches_where_its_tensors_are() -> None:
    module = load_inline("adder", cuda_sources=ADDS, functions="add", toolchain="nvcc")
    here, there = torch.ones(1000, device="cuda:0"), torch.ones(1000, device="cuda:1")
    with torch.cuda.device(0):
        assert torch.equal(module.add(there, there), there + there)
    with pytest.raises(RuntimeError, match="B must be on the same GPU as A, which is cuda:0, but is on cuda:1"):
        module.add(here, there)


@pytest.mark.parametrize("name", ["course/check.h", "course/checks.cuh", "checks.h", "check.h"])
def test_another_name_is_refused_with_the_right_one(name: str) -> None:
    error = refusal(ADDS.replace("course/checks.h", name))
    assert error.splitlines()[0].endswith(f"error: '{name}' file not found")
    *first, last = sorted(f"<{header.relative_to(HEADERS).as_posix()}>" for header in HEADERS.rglob("*.h"))
    assert error.splitlines()[-1] == f"The course's own headers are {', '.join(first)} and {last}."


def test_a_missing_include_is_named() -> None:
    without = ADDS.replace("#include <course/checks.h>\n", "")
    assert refusal(without).splitlines()[-1] == "Is #include <course/checks.h> missing?"
    guarded = re.sub(r"    course::.*\n", "", without)
    assert refusal(guarded).splitlines()[-1] == "Is #include <ATen/cuda/CUDAContext.h> missing?"


def test_no_header_of_the_shim_is_on_its_path_nor_it_among_theirs() -> None:
    own, shim = ({path.relative_to(folder) for path in folder.rglob("*.h")} for folder in (HEADERS, INCLUDE))
    assert own and shim and not own & shim
    assert course.include_path() == str(HEADERS) != str(INCLUDE)
