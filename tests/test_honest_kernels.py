"""No false alarm: honest, correct kernels in the styles of students, samples and forums pass without a hazard.

Each file in `tests/honest` is an answer: its first line says what style it shows, `// task:` names the task that it
answers, `// flags:` the flags of nvcc that it needs. The answer is its last function.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from course import device
from course.build import bindable_functions
from course.judge import judge
from course.toolchains.base import Source
from course.toolchains.nvcc import Nvcc
from course.toolchains.symbols import foreign_symbols, undefined_symbols
from course.worker import Answer

KERNELS = sorted(Path(__file__).with_name("honest").glob("*.cu"))
GROUPS = 2  # of sources for nvcc, which takes longer to start and to read headers than for a kernel


def head(text: str, key: str) -> str:
    match = re.search(rf"^// {key}: (.+)$", text, re.MULTILINE)
    return match[1] if match else ""


@pytest.mark.parametrize("path", KERNELS, ids=[path.stem for path in KERNELS])
def test_an_honest_kernel_is_right_and_has_no_hazard(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    answer = Answer("cuda", text, bindable_functions(text)[-1], tuple(head(text, "flags").split()))
    verdict = judge(answer, head(text, "task"), toolchain="emulator")
    assert verdict.correct and not verdict.hazards, verdict.message
    assert not verdict.untraced


def in_a_namespace(name: str, text: str) -> str:
    """A kernel's source that can be compiled with others: none of its names or macros is visible to them."""
    body = re.sub(r"^#include.*$", "", text, flags=re.MULTILINE)
    undefined = "".join(f"#undef {macro}\n" for macro in re.findall(r"^#define (\w+)", text, re.MULTILINE))
    return f"namespace honest_{re.sub(r'[^a-z0-9]', '_', name)} {{\n{body}\n}}\n{undefined}"


@pytest.mark.parametrize("group", range(GROUPS))
def test_nvcc_takes_the_honest_kernels_too(group: int, tmp_path: Path) -> None:
    if device.nvcc() is None:
        missing = pytest.fail if os.environ.get("CI") else pytest.skip
        missing("nvcc is not installed")
    texts = {path.stem: path.read_text(encoding="utf-8") for path in KERNELS[group::GROUPS]}
    includes = sorted({line for text in texts.values() for line in re.findall(r"^#include.*$", text, re.MULTILINE)})
    flags = tuple(sorted({flag for text in texts.values() for flag in head(text, "flags").split()}))
    source = "\n".join([*includes, *(in_a_namespace(*item) for item in texts.items())])
    Nvcc("90").build(Source(cuda=source, cpp="", functions=(), cuda_cflags=flags), tmp_path)
    assert foreign_symbols(undefined_symbols(tmp_path / "module.so")) == []


def test_there_are_sixty_honest_kernels_of_many_tasks() -> None:
    tasks = [head(path.read_text(encoding="utf-8"), "task") for path in KERNELS]
    assert len(tasks) >= 60 and len(set(tasks)) >= 10
