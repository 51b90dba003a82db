"""The process that builds for the referee, and the direct path of a `%%cuda` cell."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import threading
from pathlib import Path

import pytest

from course import build
from course.build import cell_source, load_inline
from course.errors import BuildError
from course.tasks import load_task
from course.toolchains.time_limit import TimeLimit
from course.worker import modules
from course.worker.modules import Budget, Modules, build_apart
from course.worker.protocol import Answer, AnswerError, RefereeFailed, TimedOut
from course.worker.server import Process, Server
from course.worker.worker import Worker
from tests.clang import replaced_clang
from tests.kernels import kernel

KERNEL = kernel("row_scaling")
ANSWER = Answer("cuda", KERNEL, "scale")


@pytest.fixture
def faulty(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """Replace the builder by one that fails in the way that the parameter names."""
    monkeypatch.setattr(modules, "BUILDER", "tests.worker.faulty_builder")
    monkeypatch.setenv("COURSE_FAULT", request.param)


def load(budget: Budget | None = None) -> None:
    with Worker("emulator", budget=budget) as worker:
        worker.load("answer", ANSWER, load_task("row_scaling"))


@pytest.mark.parametrize("faulty", ["lists modules"], indirect=True)
@pytest.mark.parametrize("toolchain", ["emulator", "traced"])
@pytest.mark.usefixtures("faulty")
def test_the_builder_imports_no_pytorch(toolchain: str) -> None:
    reply = build_apart(toolchain, cell_source(KERNEL), (), TimeLimit(120), cell_function="scale")
    assert "course.worker.builder_process" in reply["modules"]
    assert not {"torch", "numpy"} & set(reply["modules"])
    assert "folder" in reply


@pytest.mark.parametrize("faulty", ["hangs"], indirect=True)
@pytest.mark.usefixtures("faulty")
def test_a_builder_that_hangs_is_stopped() -> None:
    with pytest.raises(BuildError, match="The build was stopped, since it takes too long"):
        load(Budget(one_build=1.0))
    with pytest.raises(TimedOut):
        build_apart("emulator", cell_source(KERNEL), (), TimeLimit(0.5))


def test_no_compiler_outlives_its_builder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    program = f"#!/bin/sh\nsleep 300 & echo $! > {tmp_path}/pid; wait\n"  # it starts another program
    monkeypatch.setenv("PYTHONPATH", replaced_clang(tmp_path, program))
    with pytest.raises(TimedOut):
        build_apart("emulator", cell_source(KERNEL + "// another\n"), (), TimeLimit(3.0, patience=1))
    status = Path(f"/proc/{(tmp_path / 'pid').read_text().strip()}/status")
    assert not status.exists() or "State:\tZ" in status.read_text()


@pytest.mark.parametrize("faulty", ["prints", "sends too much", "dies"], indirect=True)
@pytest.mark.usefixtures("faulty")
def test_a_builder_that_dies_or_says_too_much_is_the_referees_failure() -> None:
    with pytest.raises(RefereeFailed, match="builder process was lost twice"):
        load()


class NoWorkers(Server):
    """A server that is never asked for a worker."""

    def fork(self, *_: object) -> None:  # type: ignore[override]
        raise AssertionError("a worker was forked")


@pytest.mark.parametrize(
    ("source", "error", "says"),
    [
        (KERNEL.replace("return", "retrun"), BuildError, "error"),
        ("int x;", AnswerError, "does not define scale: it has no function that takes or returns a tensor"),
        (KERNEL.replace("scale(", "scaled("), AnswerError, "does not define scale: it has scaled"),
        (f"namespace mine {{{KERNEL}}}", AnswerError, "scale cannot be called: it is in the namespace mine"),
        ("/" * (2 << 20), BuildError, "The source is longer than 256 KiB"),
        (f"#include <{'n' * 300}>\n{KERNEL}", BuildError, "line 1: error"),
        ('static_assert(false, "\\nx:' + "1" * 5000 + ': error: y");\n' + KERNEL, BuildError, "error"),
    ],
)
def test_no_worker_starts_for_a_cell_that_does_not_build(source: str, error: type, says: str) -> None:
    with Worker("emulator", server=NoWorkers()) as worker, pytest.raises(error, match=says):
        worker.load("answer", Answer("cuda", source, "scale"), load_task("row_scaling"))
    assert worker.printed == ""


def test_the_worker_of_a_cell_asks_for_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Modules, "reply", None)
    task = load_task("row_scaling")
    with Worker("emulator") as worker:
        worker.load("answer", ANSWER, task)
        assert not worker.run("answer", task, task.cases[0], 1).failure
        assert worker.sources == [cell_source(KERNEL)]


def test_a_cell_is_not_built_again_to_be_judged() -> None:
    functions = build.bindable_functions(KERNEL)
    for flags in ([], ["-DUNUSED=1"]):
        module = load_inline(
            "a", cuda_sources=KERNEL, functions=functions, extra_cuda_cflags=flags, toolchain="emulator"
        )
        assert module.scale.built_from == cell_source(KERNEL, flags)


def test_two_builders_may_build_the_same_module(fresh_cache: Path) -> None:
    modules = [Modules("emulator", (), Budget()) for _ in range(2)]
    threads = [threading.Thread(target=each.of_cell, args=(ANSWER,)) for each in modules]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    (folder,) = fresh_cache.glob("emulator/*")
    assert (folder / "module.so").exists()
    assert [each.sources for each in modules] == [[cell_source(KERNEL)]] * 2


def test_a_module_counts_with_the_objects_that_the_cache_keeps(fresh_cache: Path) -> None:
    budget = Budget()
    Modules("emulator", (), budget).of_cell(ANSWER)
    kept = [*fresh_cache.glob("emulator/*/module.so"), *fresh_cache.glob("objects/*/unit.o")]
    assert len(kept) == 3
    assert Budget.modules - budget.modules >= sum(path.stat().st_size for path in kept)


def test_a_cache_that_disappears_between_build_and_load_is_filled_again(fresh_cache: Path) -> None:
    modules = Modules("emulator", (), Budget())
    source = modules.of_cell(ANSWER)
    for kind in ("emulator", "objects"):  # what it has of this module; the rest would take a minute to build
        shutil.rmtree(fresh_cache / kind)
    worker = Process(socket.socket(), 0)
    assert Path(modules.for_worker(source, worker)["folder"], "module.so").exists()


def test_a_builder_is_kept_for_the_next_module_unless_the_environment_has_changed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def used() -> int:
        Modules("emulator", (), Budget()).of_cell(ANSWER)
        return modules._idle[-1].running().pid

    first = used()
    assert used() == first
    monkeypatch.setenv("COURSE_TEST", "changed")
    second = used()
    assert second != first
    os.kill(second, signal.SIGKILL)
    assert used() not in (first, second)
