"""The tracer: every hazard with its line, block and thread, and none where the kernel is correct.

Each file of `tests/kernels/hazards` has one hazard, in a call of the function of its name. Its head says the `size` of
the function's argument, the kind of the `hazard`, `where` it is (a marker in the comment of a line, then the thread and
the block; a block 0 is left out, and a comma separates two places), and a regular expression for what the tracer
`says`, in which `{marker}` stands for the number of the line.
"""

from __future__ import annotations

import re
import resource

import pytest
import torch

from course.build import Module, bindable_functions, load_inline
from course.errors import Hazard, KernelError
from course.notebook.trace import trace
from course.referee.judge import judge
from course.toolchains.emulator import calls
from course.worker.protocol import Answer
from tests.heads import Headed, names
from tests.kernels import joined, kernel, kernels

WRONG = joined("hazards")
HAZARDS = [each for each in kernels("hazards") if "hazard" in each.fields]


@pytest.fixture(scope="module")
def wrong() -> Module:
    return load_inline("wrong", cuda_sources=WRONG, functions=bindable_functions(WRONG), toolchain="emulator")


def line_with(marker: str, source: str = WRONG) -> int:
    """The line whose comment at its end has the marker; the lines of the head, which are only comment, do not count."""
    marked = re.compile(rf"(?!//).*// .*(?<![\w-]){marker}(?![\w-])")
    return next(number for number, line in enumerate(source.split("\n"), 1) if marked.match(line))


def places(text: str) -> list[dict]:
    """The places that a head lists: for each the marker of its line, the thread and, if it is not 0, the block."""
    found = []
    for each in names(text):
        marker, thread, block = (*each.split(), "0")[:3]
        found.append({"line": line_with(marker), "block": [int(block), 0, 0], "thread": [int(thread), 0, 0]})
    return found


@pytest.mark.parametrize("wanted", HAZARDS, ids=lambda wanted: wanted.name)
def test_a_hazard_and_its_place(wrong: Module, wanted: Headed) -> None:
    (hazard,) = trace(getattr(wrong, wanted.name), torch.randn(int(wanted.fields["size"]))).hazards
    says = re.sub(r"\{([\w-]+)\}", lambda match: str(line_with(match[1])), wanted.fields["says"])
    assert hazard.kind == wanted.fields["hazard"] and re.search(says, hazard.detail), hazard
    assert list(hazard.where) == places(wanted.fields.get("where", ""))


@pytest.mark.parametrize(
    ("function", "says"),
    [
        (
            "freed_allocation",
            "the kernel uses memory that no longer exists: the 200 bytes of a cudaMalloc, freed before;",
        ),
        ("freed_twice", "the wrapper frees memory for the second time: the 200 bytes of a cudaMalloc, freed before"),
        ("tensor_gone", "the kernel uses memory that no longer exists: the new tensor of shape (50,);"),
        ("copied_the_wrong_way", "the wrapper copies with cudaMemcpyDeviceToHost, which does not fit the pointers"),
    ],
)
def test_what_is_found_in_calls_that_are_not_traced(wrong: Module, function: str, says: str) -> None:
    with pytest.raises(KernelError, match=re.escape(says)):
        getattr(wrong, function)(torch.randn(50))


def test_freed_memory_takes_no_memory(wrong: Module) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    wrong.freed_often(torch.zeros(1))
    assert trace(wrong.freed_often, torch.zeros(1)).hazards == ()
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100_000  # KiB


def test_an_access_outside_of_a_view_is_a_remark(wrong: Module) -> None:
    storage = torch.arange(100.0)
    found = trace(wrong.next_in_a_view, storage[10:20], None)
    assert found.hazards == () and len(found.remarks) == 1
    assert re.match(
        rf"line {line_with('past-the-view')} .* another part of the storage of A of shape \(10,\)", found.remarks[0]
    )
    assert "element 10 from its first, and it spans 10" in found.remarks[0]
    assert trace(wrong.next_in_a_view, storage[10:20], storage[20:30]).remarks == ()  # the wrapper has that view, too
    assert trace(wrong.next_by_the_wrapper, storage[10:20]).remarks == ()
    (hazard,) = trace(wrong.next_in_a_view, storage[10:20].clone(), None).hazards
    assert hazard.kind == "out-of-bounds"


def test_a_local_array_without_a_first_value_is_a_remark() -> None:
    source = kernel("tracing/unset_local")
    unset = load_inline("unset", cuda_sources=source, functions=["unset_local"], toolchain="emulator")
    (remark,) = trace(unset.unset_local, torch.ones(9)).remarks
    assert remark.startswith(f"parts has no value when line {line_with('unset-parts', source)} ")


def test_an_endless_kernel_ends_and_takes_no_memory_without_end(wrong: Module, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calls, "TIME_LIMIT", 0.5)
    found = trace(wrong.endless, torch.zeros(1))
    assert [hazard.kind for hazard in found.hazards] == ["timeout"] and found.traffic == ()


def test_after_a_hazard_the_next_call_is_right(wrong: Module) -> None:
    for function in (wrong.past_the_end, wrong.first_barrier, wrong.divergent):
        assert trace(function, torch.randn(64)).hazards
    assert trace(wrong.second_barrier, torch.randn(64)).hazards == ()  # one round of the loop needs one barrier


# ----------------------------------------------------------------------------------------------------------------------
# The judge.

MATMUL = kernel("tracing/two_barriers")
COPY = kernel("tracing/guard_after_the_loads")


def judged(source: str, function: str, task: str) -> tuple[bool, list[Hazard], str]:
    verdict = judge(Answer("cuda", source, function), task, toolchain="emulator")
    return verdict.correct, verdict.hazards, verdict.message


def test_a_kernel_that_passes_by_luck_fails() -> None:
    correct, hazards, message = judged(COPY, "vector_add", "vector_add")
    assert not correct and [hazard.kind for hazard in hazards] == ["out-of-bounds"]
    line = line_with("past-the-end", COPY)
    assert message.startswith(
        f"The values of 10 cases are right, but: line {line} (`const float sum = A[i] + B[i];`) reads"
    )


@pytest.mark.parametrize("missing", [False, True])
def test_the_missing_second_barrier(missing: bool) -> None:
    source = MATMUL.replace("__syncthreads();  // second", "") if missing else MATMUL
    correct, hazards, message = judged(source, "matmul", "transposed_matmul")
    assert correct != missing, message
    if missing and message.startswith("The values"):  # else the emulator's order of threads gave wrong values
        assert {hazard.kind for hazard in hazards} == {"race"}
        first, last = (source[: source.index(text)].count("\n") + 1 for text in ("As[y][x] =", "sum +="))
        assert f"a __syncthreads() is missing after line {last}, before line {first} runs again" in message


def test_what_the_shim_does_for_a_kernel_is_seen():
    """The shim's own unit is traced like the student's: `operator=` swaps two words, wherever they are."""
    module = load_inline("by_another", cuda_sources=kernel("tracing/by_another"), functions=["f"], toolchain="emulator")
    assert {hazard.kind for hazard in trace(module.f, torch.zeros(32, dtype=torch.float64)).hazards} == {"race"}


# In each kernel, the upper half of `tile` and both `counts` are never written. These are the lines that read them.
UNFILLED = {
    "sum": "c[t] = tile[t] + tile[t + 32];",
    "product": "c[t] = tile[t] + 0.0f * tile[t + 32];",
    "maximum": "c[t] = fmaxf(tile[t], tile[t + 32]);",
    "minimum": "c[t] = fminf(tile[t], tile[t + 32]);",
    "equal": "c[t] = tile[t + 32] == tile[63 - t] ? 1.0f : 2.0f;",
    "flag": "c[t] = counts[0] ? 3.0f : tile[t];",
    "count": "c[t] = atomicAdd(&counts[0], 1) == t ? 1.0f : 2.0f;",
    "place": "c[counts[1] & 31] = 1.0f;",
    "far_away": "c[counts[1] == 0x7F7F7F7F ? 1 << 28 : t] = 1.0f;",
    "barrier": "if (counts[0] == 0 && t < 16) __syncthreads();",
    "endless": "while (counts[0] == 0) c[t] = 1.0f;",
    "trap": "if (counts[0] == 0) __trap();",
}
DROPPED = {
    "not_stored": "float sum = 0; for (int k = 0; k < 64; ++k) sum += tile[k]; c[t] = tile[t]; if (t >= n) c[t] = sum;",
    "overwritten": "c[t] = tile[t + 32]; c[t] = tile[t];",
    "other_way": "if (counts[0] > 0) c[t] = tile[t]; else c[t] = a[t];",
    "counted_once": "float sum = 0; for (int k = 0; k < 64; ++k) sum += tile[k]; if (t >= n) c[t] = sum;"
    ' printf("%d\\n", t); atomicAdd(c + t, 1.0f);',
}
UNFILLED_KERNEL = """
__global__ void KERNEL(const float* a, float* c, int n) {
    __shared__ float tile[64];
    __shared__ int counts[2];
    const int t = threadIdx.x;
    c += 32 * blockIdx.x;
    tile[t] = a[t];
    if (n > 32) counts[t % 2] = n;
    __syncthreads();
    BODY
}
torch::Tensor NAME(torch::Tensor A) {
    auto C = torch::zeros({3, A.numel()}, A.options());
    KERNEL<<<3, 32>>>(A.data_ptr<float>(), C.data_ptr<float>(), 32);
    return C;
}
"""


@pytest.fixture(scope="module")
def unfilled() -> Module:
    texts = [
        UNFILLED_KERNEL.replace("KERNEL", f"{name}_kernel").replace("NAME", name).replace("BODY", body)
        for name, body in (UNFILLED | DROPPED).items()
    ]
    source, functions = "\n".join(["#include <torch/extension.h>", *texts]), [*UNFILLED, *DROPPED]
    return load_inline("unfilled", cuda_sources=source, functions=functions, toolchain="emulator")


@pytest.mark.parametrize("name", UNFILLED)
def test_an_unwritten_shared_value_that_decides_something_is_a_hazard(unfilled: Module, name: str, monkeypatch) -> None:
    monkeypatch.setattr(calls, "TIME_LIMIT", 1.0)
    hazards = trace(getattr(unfilled, name), torch.ones(32)).hazards
    told = [hazard for hazard in hazards if hazard.kind == "uninitialised-read"]
    assert told and all("is it filled everywhere, with zeros past the edges?" in hazard.detail for hazard in told)


@pytest.mark.parametrize("name", DROPPED)
def test_an_unwritten_shared_value_that_is_dropped_is_a_remark(unfilled: Module, name: str, capfd) -> None:
    seen = trace(getattr(unfilled, name), torch.ones(32))
    capfd.readouterr()
    assert not seen.hazards
    remark = r"reads the shared array (?:tile|counts) where nothing was written before, .*; no result depends on it"
    assert any(re.search(remark, text) for text in seen.remarks), seen.remarks
    if name == "counted_once":  # accesses of the repeated run are not counted
        assert [line.requests for line in seen.traffic if line.op == "atomic"] == [3]
        assert torch.equal(unfilled.counted_once(torch.ones(32)), torch.ones(3, 32))
        capfd.readouterr()


@pytest.mark.parametrize(
    ("function", "written", "unwritten"),
    [
        ("by_a_kernel", 8, 0),
        ("by_a_kernel", 5, 3),
        ("through_two", 8, 0),
        ("through_two", 5, 3),
        ("by_tensors", 8, 0),
        ("by_tensors", 5, 6),
        ("by_the_host", 8, 8),
        ("by_the_host_in_shared_memory", 8, 8),
    ],
)
def test_a_copy_is_written_by_a_kernel_where_its_source_is(copies: Module, function, written, unwritten) -> None:
    hazards = trace(getattr(copies, function), torch.ones(8), written).hazards
    assert [hazard.kind for hazard in hazards] == ["unwritten-output"] * bool(unwritten)
    assert all(f"no kernel writes {unwritten} of the" in hazard.detail for hazard in hazards)


@pytest.fixture(scope="module")
def copies() -> Module:
    functions = ["by_a_kernel", "through_two", "by_tensors", "by_the_host", "by_the_host_in_shared_memory"]
    return load_inline("copies", cuda_sources=kernel("tracing/copies"), functions=functions, toolchain="emulator")
