"""No false alarm: honest, correct kernels in the styles of students, samples and forums pass without a hazard.

Each file in `tests/honest` is an answer: its first line says what style it shows, `// task:` names the task that it
answers, `// flags:` the flags of nvcc that it needs. The answer is its last function.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from course import device
from course.build import bindable_functions
from course.referee.judge import judge
from course.toolchains.base import Source
from course.toolchains.guard.symbols import foreign_symbols, undefined_symbols
from course.toolchains.nvcc import Nvcc
from course.worker.protocol import Answer
from tests import heads
from tests.sources import in_one_file
from tests.tiers import tiered

KERNELS = heads.read_all(Path(__file__).parents[1] / "honest")
GROUPS = 2  # sources for nvcc, which spends more time on its start and on headers than on a kernel


def flags_of(kernel: heads.Headed) -> list[str]:
    return kernel.fields.get("flags", "").split()


@pytest.mark.parametrize("kernel", tiered(KERNELS, lambda kernel: [kernel.fields["task"]], lambda kernel: kernel.name))
def test_an_honest_kernel_is_right_and_has_no_hazard(kernel: heads.Headed) -> None:
    answer = Answer("cuda", kernel.source, bindable_functions(kernel.source)[-1], tuple(flags_of(kernel)))
    verdict = judge(answer, kernel.fields["task"], toolchain="emulator")
    assert verdict.correct and not verdict.hazards, verdict.message
    assert not verdict.untraced


@pytest.mark.slow
@pytest.mark.parametrize("group", range(GROUPS))
def test_nvcc_takes_the_honest_kernels_too(group: int, tmp_path: Path) -> None:
    if device.nvcc() is None:
        missing = pytest.fail if os.environ.get("CI") else pytest.skip
        missing("nvcc is not installed")
    kernels = KERNELS[group::GROUPS]
    source = in_one_file({kernel.name: kernel.source for kernel in kernels})
    flags = tuple(sorted({flag for kernel in kernels for flag in flags_of(kernel)}))
    Nvcc("90").build(Source(cuda=source, cpp="", functions=(), cuda_cflags=flags), tmp_path)
    assert foreign_symbols(undefined_symbols(tmp_path / "module.so")) == []


def test_there_are_sixty_honest_kernels_of_many_tasks() -> None:
    tasks = [kernel.fields["task"] for kernel in KERNELS]
    assert len(tasks) >= 60 and len(set(tasks)) >= 10
