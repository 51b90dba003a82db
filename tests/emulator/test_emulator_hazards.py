"""What goes wrong in a kernel becomes an exception that says what it was, and the next call is right.

Some files of `tests/kernels/faults` have a head with the kind of a `hazard` and what its message `says`: a call of the
file's function must end so. The functions of the other files are called with arguments here.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

from course.build import Module, bindable_functions, load_inline
from course.errors import ORDER, SIZE, BuildError, KernelError
from course.toolchains.emulator import calls
from tests.heads import Headed
from tests.kernels import joined, kernel, kernels

SOURCE = joined("faults")
FAULTS = [each for each in kernels("faults") if "hazard" in each.fields]


@pytest.fixture(scope="module")
def run() -> Module:
    return load_inline("faults", cuda_sources=SOURCE, functions=bindable_functions(SOURCE), toolchain="emulator")


@pytest.fixture(autouse=True)
def a_good_kernel_afterwards(run: Module):
    yield
    A = torch.randn(777)
    assert torch.equal(run.good(A), A)


def line_with(marker: str) -> int:
    return next(number for number, line in enumerate(SOURCE.split("\n"), 1) if line.endswith(marker))


def faults(function, *arguments) -> list[tuple[str, str]]:
    """The hazards of a call that must fail, each with its kind and detail; the error's text has all of them."""
    with pytest.raises(KernelError) as caught:
        function(*arguments)
    found = caught.value.hazards
    assert found and all(f"{hazard.kind}: {hazard.detail}" in str(caught.value) for hazard in found)
    return [(hazard.kind, hazard.detail) for hazard in found]


# ----------------------------------------------------------------------------------------------------------------------
# Red zones.


@pytest.mark.parametrize("function", ["fill_output", "fill_input"])
@pytest.mark.parametrize(
    ("where", "text"),
    [
        ((0, 101, 1), r"one element past the end of .*: element 100 of 100"),
        ((0, 164, 1), r"elements past the end of .*: element 100 of 100"),
        ((150, 151, 1), r"past the end of .*: element 150 of 100"),
        ((-1, 100, 1), r"one element before the start of .*: element -1 of 100"),
        ((-7, 10, 3), r"before the start of .*: element -1 of 100"),
        ((100 + 16000, 100 + 16001, 1), r"element 16100 of 100"),
    ],
)
def test_a_write_outside_of_a_tensor(run: Module, function: str, where: tuple, text: str) -> None:
    ((kind, detail),) = faults(getattr(run, function), torch.zeros(100), *where)
    assert kind == "out-of-bounds"
    assert re.search(text, detail), detail
    assert ("the new tensor" if function == "fill_output" else "input tensor 1") + " of shape (100,)" in detail


@pytest.mark.parametrize("function", ["fill_output", "fill_input"])
def test_the_whole_tensor_may_be_written(run: Module, function: str) -> None:
    assert torch.equal(getattr(run, function)(torch.zeros(100), 0, 100, 1), torch.ones(100))


def test_both_ends_are_told(run: Module) -> None:
    found = faults(run.fill_output, torch.zeros(10), -2, 12, 1)
    assert len(found) == 2 and {"before the start" in detail for _, detail in found} == {True, False}


def test_a_view_ends_where_its_storage_ends(run: Module) -> None:
    storage = torch.zeros(100)
    run.fill_input(storage[:50], 0, 100, 1)
    assert torch.equal(storage, torch.ones(100))
    ((_, detail),) = faults(run.fill_input, storage[50:], 0, 51, 1)
    assert "element 100 of 100" in detail


def test_a_copy_between_the_red_zones_of_two_tensors(run: Module) -> None:
    ((kind, detail),) = faults(run.copy_past_both_ends, torch.zeros(1000))
    assert kind == "out-of-bounds" and "past the end of the new tensor of shape (1000,)" in detail


def test_memory_of_cudamalloc_has_red_zones_too(run: Module) -> None:
    A = torch.zeros(1)
    run.fill_allocated(A, 10)
    ((kind, detail),) = faults(run.fill_allocated, A, 11)
    assert kind == "out-of-bounds" and "past the end of the 40 bytes of a cudaMalloc" in detail


def test_dynamic_shared_memory_ends_where_the_launch_says(run: Module) -> None:
    A = torch.zeros(1)
    run.shared_overrun(A, 100, 400)
    ((kind, detail),) = faults(run.shared_overrun, A, 101, 400)
    assert kind == "out-of-bounds" and "400 bytes of dynamic shared memory" in detail


# ----------------------------------------------------------------------------------------------------------------------
# Faults.


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_fault_is_an_exception_with_its_reason(run: Module, fault: Headed) -> None:
    ((kind, detail),) = faults(getattr(run, fault.name), torch.zeros(16))
    assert kind == fault.fields["hazard"] and fault.fields["says"] in detail, detail


@pytest.mark.parametrize("arguments", [("endless", True), ("endless", False), ("endless_wrapper",)])
def test_an_endless_loop_ends(run: Module, monkeypatch: pytest.MonkeyPatch, arguments: tuple) -> None:
    monkeypatch.setattr(calls, "TIME_LIMIT", 0.2)
    function, *rest = arguments
    ((kind, detail),) = faults(getattr(run, function), torch.zeros(3), *rest)
    who = "the wrapper" if function == "endless_wrapper" else "the kernel"
    assert kind == "timeout" and detail.startswith(f"{who} ran for more than 0.2 s")


@pytest.mark.parametrize(
    ("body", "limit"),
    [
        ("for (volatile int i = 0; i < 10000; ++i) {}", SIZE),  # much work, but each thread ends
        ("atomicAdd(count, 1); while (atomicAdd(count, 0) < gridDim.x) {}", ORDER),
        ("if (blockIdx.x == gridDim.x - 1) { atomicAdd(count, 1); while (atomicAdd(count, 0)) {} }", ""),
        ("while (true) {}", ""),
    ],
)
def test_a_timeout_says_which_limit_of_the_emulator_may_be_the_cause(
    monkeypatch: pytest.MonkeyPatch, body: str, limit: str
) -> None:
    source = (
        f"__global__ void k(int* count) {{ {body} }}\n"
        "torch::Tensor f(torch::Tensor count) { k<<<100000, 1>>>(count.data_ptr<int>()); return count; }"
    )
    module = load_inline("late", cuda_sources=source, functions="f", toolchain="emulator")
    monkeypatch.setattr(calls, "TIME_LIMIT", 0.2)
    with pytest.raises(KernelError) as caught:
        module.f(torch.zeros(1, dtype=torch.int32))
    ((kind, found),) = [(hazard.kind, hazard.emulator_limit) for hazard in caught.value.hazards]
    assert (kind, found) == ("timeout", limit)


STOPPED = """
import torch
from course.build import load_inline
from course.toolchains.emulator import calls
source = '''
#include <signal.h>
torch::Tensor f(torch::Tensor x) {
    raise(SIGSTOP);
    for (volatile int i = 0; i < 10000000; ++i) {}
    return x;
}
'''
module = load_inline("stops", cuda_sources=source, functions="f", toolchain="emulator")
calls.TIME_LIMIT = 0.5
print(module.f(torch.zeros(1)).item())
"""


def test_time_without_the_processor_is_no_time_of_a_call() -> None:
    with subprocess.Popen([sys.executable, "-c", STOPPED], stdout=subprocess.PIPE, text=True) as process:
        os.waitpid(process.pid, os.WUNTRACED)
        time.sleep(0.7)  # as on a machine that is busy with something else
        process.send_signal(signal.SIGCONT)
        assert process.communicate()[0] == "0.0\n"


@pytest.fixture
def interrupts() -> Iterator[None]:
    """Install Python's own handler of interrupts, since a background process of a shell ignores them."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interrupts")
@pytest.mark.parametrize("arguments", [("endless", True), ("endless_wrapper",)])
def test_an_interrupt_ends_an_endless_loop_at_once(run: Module, arguments: tuple) -> None:
    function, *rest = arguments
    threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        getattr(run, function)(torch.zeros(3), *rest)
    assert time.monotonic() - start < calls.TIME_LIMIT / 2


@pytest.mark.usefixtures("interrupts")
def test_an_interrupt_of_the_main_thread_is_no_timeout_of_another(run: Module, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calls, "TIME_LIMIT", 1.0)
    ended: list[float] = []

    def call() -> None:
        assert faults(run.endless, torch.zeros(3), True)[0][0] == "timeout"
        ended.append(time.monotonic())

    start = time.monotonic()
    other = threading.Thread(target=call)
    threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        other.start()
        time.sleep(5)
    other.join()
    assert ended[0] - start > 0.9


def test_a_launch_in_a_kernel_that_hides_behind_a_macro() -> None:
    source = kernel("emulator/launch_in_a_kernel")
    module = load_inline("nested", cuda_sources=source, functions="f", toolchain="emulator")
    ((kind, detail),) = faults(module.f, torch.zeros(1))
    assert kind == "crash" and "dynamic parallelism" in detail


def test_faults_do_not_add_up(run: Module) -> None:
    def mapped() -> int:
        return len(Path("/proc/self/maps").read_text().splitlines())

    before = mapped()
    for _ in range(30):
        for function in (run.recursion, run.at_null, run.trap, run.early_return):
            assert len(faults(function, torch.zeros(3))) == 1
    assert mapped() < before + 500  # the stacks of a block's threads are used again


def test_calls_from_several_threads_take_turns(run: Module) -> None:
    results = {}

    def calls(key: int) -> None:
        A = torch.full((5000,), float(key))
        results[key] = all(torch.equal(run.good(A), A) for _ in range(50))

    threads = [threading.Thread(target=calls, args=(key,)) for key in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == dict.fromkeys(range(4), True)


# ----------------------------------------------------------------------------------------------------------------------
# Barriers and warps.


def test_a_barrier_that_some_threads_never_reach(run: Module) -> None:
    with pytest.raises(KernelError) as caught:
        run.early_return(torch.zeros(1))
    (hazard,) = caught.value.hazards
    line = line_with("// some-return")
    assert (hazard.kind, hazard.kernel) == ("divergent-barrier", "some_return")
    assert f"in line {line} is reached by 70 of the block's 96 threads" in hazard.detail
    (where,) = hazard.where
    assert where["line"] == line and where["block"] == [0, 0, 0]


def test_two_barriers_are_not_one(run: Module) -> None:
    ((kind, detail),) = faults(run.other_barrier, torch.zeros(1))
    assert kind == "divergent-barrier"
    assert {f"line {line_with('// odd')}", f"line {line_with('// even')}"} == set(re.findall(r"line \d+", detail))


def test_a_mask_that_names_lanes_which_never_come(run: Module) -> None:
    ((kind, detail),) = faults(run.absent_lanes, torch.zeros(1, dtype=torch.int32))
    assert kind == "divergent-warp"
    assert f"line {line_with('// half-warp')}" in detail and "0xFFFFFFFF" in detail


def test_a_lane_that_its_mask_does_not_name(run: Module) -> None:
    ((kind, detail),) = faults(run.unnamed_lane, torch.zeros(1))
    assert kind == "divergent-warp"
    assert f"line {line_with('// unnamed')} (`" in detail
    assert "but the mask (0x0000FFFF) does not contain this lane" in detail


def test_masks_that_differ(run: Module) -> None:
    ((kind, _),) = faults(run.masks_that_differ, torch.zeros(1))
    assert kind == "divergent-warp"


# ----------------------------------------------------------------------------------------------------------------------
# Launches that CUDA refuses.

CONFIGURATION = "invalid configuration argument"


@pytest.mark.parametrize(
    ("grid", "block", "shared", "cuda", "text"),
    [
        ((1, 1, 1), (1025, 1, 1), 0, CONFIGURATION, "has 1025 threads; at most 1024"),
        ((1, 1, 1), (32, 33, 1), 0, CONFIGURATION, "has 1056 threads"),
        ((1, 1, 1), (65536, 65536, 1), 0, CONFIGURATION, "at most 1024"),
        ((1, 1, 1), (1, 1, 65), 0, CONFIGURATION, "deeper than 64 in z"),
        ((1, 1, 1), (0, 1, 1), 0, CONFIGURATION, "has no threads"),
        ((1, 1, 1), (1, 0, 1), 0, CONFIGURATION, "has no threads"),
        ((0, 1, 1), (1, 1, 1), 0, CONFIGURATION, "has no blocks"),
        ((1, 1, 0), (1, 1, 1), 0, CONFIGURATION, "has no blocks"),
        ((1, 65536, 1), (1, 1, 1), 0, CONFIGURATION, "a grid of (1, 65536, 1) is too large"),
        ((1, 1, 65536), (1, 1, 1), 0, CONFIGURATION, "too large"),
        ((-1, 1, 1), (1, 1, 1), 0, CONFIGURATION, "too large"),
        ((1, 1, 1), (1, 1, 1), 48 * 1024 + 1, "invalid argument", "49153 bytes of dynamic shared memory"),
        ((1, 1, 1), (1, 1, 1), -4, "invalid argument", "bytes of dynamic shared memory"),
    ],
)
@pytest.mark.parametrize("look", [True, False])
def test_a_launch_that_cuda_refuses(
    run: Module, grid: tuple, block: tuple, shared: int, cuda: str, text: str, look: bool
) -> None:
    with pytest.raises(KernelError) as caught:
        run.launched(torch.zeros(1), grid, block, shared, look)
    (hazard,) = caught.value.hazards
    assert (hazard.kind, hazard.kernel) == ("bad-launch", "nothing") and text in hazard.detail
    assert str(caught.value).startswith(cuda if look else "bad-launch: ")


@pytest.mark.parametrize(
    ("grid", "block", "shared"),
    [((1, 1, 1), (1024, 1, 1), 0), ((70000, 1, 1), (1, 1, 1), 0), ((1, 65535, 1), (1, 1, 1), 0),
     ((1, 1, 2), (2, 8, 64), 0), ((1, 1, 1), (1, 1, 1), 48 * 1024)],
)  # fmt: skip
def test_a_launch_at_the_limits(run: Module, grid: tuple, block: tuple, shared: int) -> None:
    run.launched(torch.zeros(1), grid, block, shared, True)


@pytest.mark.parametrize("of_template", [False, True])
def test_opting_in_to_more_shared_memory(run: Module, of_template: bool) -> None:
    A, limit = torch.zeros(1), 227 * 1024
    run.opted_in(A, 100000, 100000, of_template)
    ((kind, detail),) = faults(run.opted_in, A, 100000, 100001, of_template)
    assert kind == "bad-launch" and "more than 100000 need cudaFuncSetAttribute" in detail
    run.opted_in(A, limit, limit, of_template)
    with pytest.raises(RuntimeError, match="opting in: invalid argument"):
        run.opted_in(A, limit + 1, 0, of_template)
    if of_template:  # the opt-in of one instance does not apply to another
        assert faults(run.another_type, A, 100000)[0][0] == "bad-launch"


def test_static_shared_memory_over_48_kb_does_not_build() -> None:
    source = kernel("emulator/large_static_shared")
    larger = source.replace("kSize = 6144", "kSize = 6145")
    fits = load_inline("fits", cuda_sources=source, functions="f", toolchain="emulator")
    assert torch.equal(fits.f(torch.arange(32.0)), 2 * torch.arange(32.0).flip(0))
    with pytest.raises(
        BuildError, match=r"'large' declares 49160 bytes of __shared__ arrays; a block has 49152 \(48 KB\)"
    ):
        load_inline("large", cuda_sources=larger, functions="f", toolchain="emulator")


# The calls below must neither hang nor leak, so each test runs them in a process of its own.
ALONE = """
import gc, sys, torch
from course.build import load_inline
from course.errors import KernelError
from course.toolchains.emulator import calls
calls.TIME_LIMIT = 0.05
name, size, calls = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
functions = ["large", "allocates_for_ever", "goes_on_for_ever"]
module = load_inline("host", cuda_sources=sys.stdin.read(), functions=functions, toolchain="emulator")
A = torch.zeros(size)
for _ in range(calls):
    try:
        getattr(module, name)(A)
        raise SystemExit("nothing was raised")
    except KernelError as error:
        kinds = [hazard.kind for hazard in error.hazards]
gc.collect()
print(sorted(set(kinds)), int(open("/proc/self/statm").read().split()[1]) // 256)
"""


def alone(function: str, size: int, calls: int) -> tuple[str, int]:
    """The kinds of hazard of the last of `calls` calls, and the MiB that the process then holds."""
    command = [sys.executable, "-c", ALONE, function, str(size), str(calls)]
    # Large blocks come straight from the system: what malloc kept for later would count as held.
    env = os.environ | {"MALLOC_MMAP_THRESHOLD_": "65536"}
    source = kernel("emulator/without_end")
    done = subprocess.run(command, input=source, capture_output=True, text=True, timeout=300, check=True, env=env)
    kinds, _, size = done.stdout.strip().rpartition(" ")
    return kinds, int(size)


def test_the_results_of_calls_that_failed_are_given_back() -> None:
    _, few = alone("large", 1 << 22, 5)
    kinds, many = alone("large", 1 << 22, 25)
    assert kinds == "['out-of-bounds']" and many < few + 100  # each result has 16 MiB


@pytest.mark.slow
@pytest.mark.parametrize(("function", "calls"), [("allocates_for_ever", 30), ("goes_on_for_ever", 2)])
def test_a_wrapper_without_an_end_leaves_no_lock_behind(function: str, calls: int) -> None:
    kinds, _ = alone(function, 1, calls)
    assert kinds == "['timeout']"
