"""The corpus of wrappers (tests/corpus): the same outcome under every toolchain, PyTorch's own headers among them.

Wrappers with the same includes are built as one source, which saves minutes; those that a toolchain refuses alone.
"""

from __future__ import annotations

import contextlib
import os
import re
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import pytest
import torch

from course import device
from course.build import TOOLCHAINS, BuildError, load_inline
from course.toolchains.base import Source
from course.toolchains.nvcc import Nvcc
from tests.corpus import EMULATED, GPU, Wrapper, arguments, batches, mismatch, read, wrappers

CORPUS = wrappers()
needs_gpu = pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
TOOLCHAIN = [pytest.param(name, marks=() if name == "emulator" else needs_gpu) for name in TOOLCHAINS]


@pytest.fixture(scope="module", params=TOOLCHAIN)
def toolchain(request) -> str:
    """The toolchain's name. What takes minutes to build is built for one test more each processor core."""
    if request.param == "torch":
        with ProcessPoolExecutor(os.cpu_count(), mp_context=get_context("spawn")) as pool:
            list(pool.map(build_with_torch, parts("torch")))
    return request.param


def parts(toolchain: str) -> list[list[Wrapper]]:
    """What is built together, and each wrapper that is refused."""
    built = [wrapper for wrapper in CORPUS if not wrapper.refused_by(toolchain)]
    return [*batches(built), *([wrapper] for wrapper in CORPUS if wrapper.refused_by(toolchain))]


def build_with_torch(part: list[Wrapper]) -> None:
    """Into the build cache; what is refused is built once more by its test."""
    with contextlib.suppress(BuildError):
        load_inline("corpus", **arguments(part), toolchain="torch")


def test_what_builds_gives_and_raises_what_pytorch_does(toolchain: str) -> None:
    problems = []
    for batch in parts(toolchain):
        if batch[0].refused_by(toolchain):
            continue
        module = load_inline("corpus", **arguments(batch), toolchain=toolchain)
        functions = {name: getattr(module, name) for wrapper in batch for name in wrapper.functions or ()}
        machine = EMULATED if toolchain == "emulator" else GPU
        for wrapper in batch:
            for call in wrapper.calls:
                problem = mismatch(call, {**functions, "module": module}, machine)
                problems += [f"{wrapper.name}: {problem}"] if problem else []
    assert not problems, "\n".join(problems)


def test_what_is_refused_is_refused_for_the_same_reason(toolchain: str) -> None:
    problems = []
    for wrapper in CORPUS:
        if pattern := wrapper.refused_by(toolchain):
            try:
                load_inline("corpus", **arguments([wrapper]), toolchain=toolchain)
                problems.append(f"{wrapper.name} builds")
            except BuildError as error:
                problems += [] if re.search(pattern, str(error), re.DOTALL) else [f"{wrapper.name}: {error}"]
    assert not problems, "\n".join(problems)


@pytest.mark.skipif(device.nvcc() is None, reason="nvcc is not installed")
def test_nvcc_builds_what_it_should_and_nothing_else(tmp_path: Path) -> None:
    problems = []
    for index, part in enumerate(parts("nvcc")):
        if re.match("undefined symbol|does not define", part[0].refused):
            continue  # told when the module is loaded, which without a GPU is left out here
        given = arguments(part)
        named = None if given["functions"] is None else tuple((name, "") for name in given["functions"])
        (folder := tmp_path / str(index)).mkdir()
        pattern = part[0].refused_by("nvcc")
        try:
            Nvcc("75").build(Source(given["cuda_sources"], given["cpp_sources"], named), folder)
            problems += [f"{part[0].name} builds"] if pattern else []
        except BuildError as error:
            told = bool(pattern) and re.search(pattern, str(error), re.DOTALL)
            problems += [] if told else [f"{part[0].name}: {error}"]
    assert not problems, "\n".join(problems)


def test_the_corpus_has_sixty_wrappers_and_every_kind() -> None:
    assert len(CORPUS) >= 60
    kinds = {wrapper.name.partition("-")[0] for wrapper in CORPUS}
    assert kinds == {
        "argument", "check", "dispatch", "dtype", "inplace", "lacking", "language", "list", "make", "place", "raise",
        "refused", "result", "shape", "stream", "view",
    }  # fmt: skip


@pytest.mark.parametrize("head", ["// A wrapper.\n// calls: f(A)\n", "// A wrapper.\n// call: f(A)\n"])
def test_a_file_whose_head_is_not_of_the_form_is_refused(head: str, tmp_path: Path) -> None:
    (tmp_path / "wrong.cu").write_text(head)
    with pytest.raises(ValueError, match=r"wrong.cu: its head "):
        read(tmp_path / "wrong.cu")
