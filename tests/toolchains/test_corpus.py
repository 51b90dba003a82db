"""The corpus of wrappers (tests/corpus): the same outcome under every toolchain, with PyTorch's own headers too.

Wrappers with the same includes are built as one source, which saves minutes. Those that a toolchain refuses are built
alone.
"""

from __future__ import annotations

import os
import re
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest

from course import device
from course.build import TOOLCHAINS, load_inline
from course.errors import BuildError
from course.toolchains.nvcc import Nvcc
from tests.corpus import EMULATED, GPU, Wrapper, arguments, batches, mismatch, pytorch, read, source_of, wrappers

CORPUS = wrappers()
# "torch" is PyTorch's own load_inline, which gives the outcome that the files state.
TOOLCHAIN = [pytest.param(n, marks=() if n == "emulator" else pytest.mark.gpu) for n in (*TOOLCHAINS, "torch")]


def parts(toolchain: str, *, refused: bool) -> list[list[Wrapper]]:
    """The wrappers that are built together. One that must be refused is built alone."""
    chosen = [wrapper for wrapper in CORPUS if bool(wrapper.refused_by(toolchain)) == refused]
    return [[wrapper] for wrapper in chosen] if refused else batches(chosen)


def built(toolchain: str, part: list[Wrapper], folder: Path) -> dict[str, Any]:
    """The functions of `part`, and its module. Raises BuildError."""
    if toolchain == "torch":
        folder.mkdir(exist_ok=True)  # the second time, ninja finds nothing to do
        module: Any = pytorch.build(source_of(part), folder)
    else:
        module = load_inline("corpus", **arguments(part), toolchain=toolchain)
    return {name: getattr(module, name) for wrapper in part for name in wrapper.functions or ()} | {"module": module}


def refusal(toolchain: str, part: list[Wrapper], folder: Path) -> str:
    """The error with which `toolchain` refuses `part`; empty where it builds."""
    try:
        built(toolchain, part, folder)
        return ""
    except BuildError as error:
        return str(error)


def refusals(toolchain: str, several: list[list[Wrapper]], folder: Path) -> list[str]:
    """The refusal of each part. Where a build takes minutes, each processor core builds one part at a time."""
    folders = [folder / str(number) for number in range(len(several))]
    if toolchain != "torch":
        return list(map(partial(refusal, toolchain), several, folders))
    with ProcessPoolExecutor(os.cpu_count(), mp_context=get_context("spawn")) as pool:
        return list(pool.map(partial(refusal, toolchain), several, folders))


@pytest.mark.parametrize("toolchain", TOOLCHAIN)
def test_what_builds_gives_and_raises_what_pytorch_does(toolchain: str, tmp_path: Path) -> None:
    batches = parts(toolchain, refused=False)
    problems = []
    for number, (batch, error) in enumerate(zip(batches, refusals(toolchain, batches, tmp_path), strict=True)):
        if error:
            problems.append(f"{', '.join(wrapper.name for wrapper in batch)}: {error}")
            continue
        names = built(toolchain, batch, tmp_path / str(number))
        machine = EMULATED if toolchain == "emulator" else GPU
        for wrapper in batch:
            for call in wrapper.calls:
                problem = mismatch(call, names, machine)
                problems += [f"{wrapper.name}: {problem}"] if problem else []
    assert not problems, "\n".join(problems)


@pytest.mark.slow
@pytest.mark.parametrize("toolchain", TOOLCHAIN)
def test_what_is_refused_is_refused_for_the_same_reason(toolchain: str, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.delenv("TORCH_CUDA_ARCH_LIST", raising=False)  # PyTorch builds for this GPU: sm_90a allows more
    refused = parts(toolchain, refused=True)
    problems = []
    for (wrapper,), error in zip(refused, refusals(toolchain, refused, tmp_path), strict=True):
        if not re.search(wrapper.refused_by(toolchain), error, re.DOTALL):
            problems.append(f"{wrapper.name}: {error or 'builds'}")
    assert refused and not problems, "\n".join(problems)


@pytest.mark.seldom
@pytest.mark.skipif(device.nvcc() is None, reason="nvcc is not installed")
def test_nvcc_builds_what_it_should_and_nothing_else(tmp_path: Path) -> None:
    """What both refuse for the same reason is left out: without a GPU, the emulator's test is enough."""
    problems = []
    for index, part in enumerate([*parts("nvcc", refused=False), *parts("nvcc", refused=True)]):
        if part[0].refused and part[0].refused_by("nvcc") == part[0].refused_by("emulator"):
            continue
        if re.match("undefined symbol|does not define", part[0].refused):
            continue  # seen when the module is loaded, which is left out here without a GPU
        (folder := tmp_path / str(index)).mkdir()
        pattern = part[0].refused_by("nvcc")
        try:
            Nvcc("75").build(source_of(part), folder)
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
