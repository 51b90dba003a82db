"""Questions about traffic: the typical slow kernels and tricks to avoid the count do not pass.

The grading of the notebooks shows that the solutions pass.
"""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from course.build import load_inline
from course.errors import CannotJudge
from course.explain.counts import Lines
from course.notebook.trace import trace
from course.referee.judge import judge
from course.referee.memory import check_traffic_budget
from course.referee.trial import Trial
from course.referee.verdict import CaseResult
from course.tasks import Case, TaskError, load_task
from course.worker.messages import MALFORMED
from course.worker.protocol import Answer, Outcome, outcome_from_json
from course.worker.worker import Worker
from tests.gallery import gallery
from tests.kernels import kernel

SOLUTIONS = Path(__file__).parents[2] / "solutions"

SCALE = kernel("efficiency/scale")
ONCE = "scale_kernel<<<(n + 255) / 256, 256>>>(a, s, c, n);"
NEXT = "torch::Tensor D = torch::empty_like(A); float* d = D.data_ptr<float>();"

# A source can tell that it is traced: what a hook loads is no constant.
TRACED = "int one = 1, *here = &one; if (!__builtin_constant_p(*here))"


def scale(launches: str) -> Answer:
    return Answer("cuda", SCALE.replace("// LAUNCHES", launches), "scale")


def cell(notebook: str, module: str, function: str) -> Answer:
    """The answer in the cell `%%cuda module` of a notebook of solutions/."""
    cells = json.loads((SOLUTIONS / notebook / f"{notebook}.ipynb").read_text())["cells"]
    texts = ("".join(cell["source"]) for cell in cells)
    return Answer.of_cell(next(text for text in texts if text.startswith(f"%%cuda {module}\n")), function)


def judged(answer: Answer, task: str, **options):
    return judge(answer, task, toolchain="emulator", **options)


ROWS, MATMUL, TILED, WIDE = "01-row-scaling", "03-matmul", "04-tiled-matmul", "05-float4-relu"


def overlapping() -> Answer:
    """05's loop over a row, with steps of a quarter of the block: up to four threads take each float4."""
    answer = cell(WIDE, "wide", "scale_rows")
    assert "i += blockDim.x)" in answer.source
    return replace(answer, source=answer.source.replace("i += blockDim.x)", "i += (blockDim.x + 3) / 4)"))


def dots_by_one_thread_per_row() -> Answer:
    return next(mistake.answer for mistake in gallery() if mistake.name == "06-one-thread-per-row")


def sector_for_each_element(M, N):
    return [f"request {M * N * 2 + M * N // 8:,} sectors of 32 bytes from global memory", "neighbouring threads"]


# One way for each word that a refusal has is enough for the fast tests.
WAYS = [
    # B and C need one sector per element, A one per eight elements.
    ("row_scaling_few_sectors", cell(ROWS, "by_row", "scale_rows"), sector_for_each_element(64, 512)),
    ("tiled_matmul_few_sectors", cell(TILED, "tiled_kj", "transposed_matmul"), ["requested many times", "tiles"]),
    ("row_scaling_few_requests", cell(WIDE, "by_one", "scale_rows"), ["4,112 requests .* 1,536 are", "float4"]),
    (
        "scalar_multiply_few_sectors",
        scale("four_kernel<<<(n + 1023) / 1024, 256>>>(a, s, c, n);"),
        [
            "16,384 sectors",
            r"Line 11 .* requests the most, 8,192 .* 4 times the 2,048 that",
            "neighbouring threads",
        ],
    ),
]
MORE_WAYS = [
    ("transposed_matmul_few_sectors", cell(MATMUL, "along_j", "transposed_matmul"), ["neighbouring threads"]),
    ("tiled_matmul_few_sectors", cell(MATMUL, "along_i", "transposed_matmul"), ["neighbouring|shared memory"]),
    ("row_scaling_few_requests", overlapping(), ["requests .* 1,536 are", "requested many times"]),
    ("row_scaling_dots_few_sectors", dots_by_one_thread_per_row(), ["neighbouring threads"]),
]


@pytest.mark.parametrize(
    ("task", "answer", "words"), [*WAYS, *(pytest.param(*way, marks=pytest.mark.slow) for way in MORE_WAYS)]
)
def test_a_slow_way_is_refused_with_its_line(task, answer, words):
    verdict = judged(answer, task)
    counted = [case for case in load_task(task).cases if {"sectors", "requests"} & case.budget.keys()]
    assert not verdict.correct and not verdict.hazards and len(verdict.failed) >= len(counted) > 0
    for word in [*words, r"Line \d+ \(`.+`\) requests the most"]:
        assert re.search(word, verdict.message), verdict.message


def test_a_slow_way_is_right_where_nothing_is_asked_but_the_values():
    verdict = judged(cell(ROWS, "by_row", "scale_rows"), "row_scaling")
    assert verdict.correct and not verdict.remarks
    assert "The requests are uncoalesced: the lanes of a warp request addresses that are far apart." in verdict.text()


def test_the_line_is_that_of_the_cell_and_of_a_script_that_has_the_source_as_it_is():
    text = "".join(f"{line}\n" for line in cell(ROWS, "by_row", "scale_rows").source.splitlines())
    (line,) = [number for number, line in enumerate(text.splitlines(), 1) if "C[i * N + j] = " in line]
    said = f"Line {line} (`C[i * N + j] = A[i] * B[i * N + j];`) requests the most"
    verdict = judged(cell(ROWS, "by_row", "scale_rows"), "row_scaling_few_sectors")
    assert said in verdict.message and {case.line for case in verdict.failed} == {line}
    source = SCALE.replace("// LAUNCHES", "four_kernel<<<(n + 1023) / 1024, 256>>>(a, s, c, n);")
    script = f'''# A comment, and lines above the source.
from torch import nn
from torch.utils.cpp_extension import load_inline
SOURCE = r"""{source}"""
module = load_inline("scale", "torch::Tensor scale(torch::Tensor A, double s);", SOURCE, functions=["scale"])
class ModelNew(nn.Module):
    def forward(self, A, s):
        return module.scale(A, s)
'''
    for text, where in (
        (script, "Line 14 (`C[e] = A[e] * s;`) requests the most"),
        (
            script.replace(", SOURCE,", ", SOURCE + ' ',"),
            "Line 11 (`C[e] = A[e] * s;`) of the CUDA source requests the most",
        ),
    ):
        refused = judged(Answer("candidate", text), "scalar_multiply_few_sectors")
        right = judged(Answer("candidate", text), "scalar_multiply", cases=[Case({"M": 64, "N": 64})])
        assert where in refused.message and where in right.asked


@pytest.mark.parametrize(
    ("launches", "words"),
    [
        (f"{ONCE} {ONCE}", "request 8,192 sectors"),  # all launches of a call are counted
        (
            "torch::Tensor D = A.clone(); scale_kernel<<<(n + 255) / 256, 256>>>(D.data_ptr<float>(), s, c, n);",
            r"copied outside of a kernel \(copy_\)",
        ),
        (
            f"{NEXT} cudaMemcpy(d, a, 4 * n, cudaMemcpyDeviceToDevice);"
            " scale_kernel<<<(n + 255) / 256, 256>>>(d, s, c, n);",
            r"copied outside of a kernel \(cudaMemcpy\)",
        ),
        (
            "std::vector<float> host(n); cudaMemcpy(host.data(), a, 4 * n, cudaMemcpyDeviceToHost);"
            " for (float& x : host) x *= static_cast<float>(s);"
            f"{NEXT} cudaMemcpy(d, host.data(), 4 * n, cudaMemcpyHostToDevice);"
            " copy_kernel<<<(n + 255) / 256, 256>>>(d, c, n);",
            "65,536 bytes to the host and read them there",
        ),
    ],
)
def test_ways_around_the_count_are_refused(launches, words):
    verdict = judged(scale(launches), "scalar_multiply_few_sectors")
    assert not verdict.correct and re.search(words, verdict.message), verdict.message


SEEN = kernel("efficiency/seen")


def test_what_is_no_load_or_store_of_the_source_is_counted_as_well():
    traced = trace(
        load_inline("seen", cuda_sources=SEEN, functions=["seen"], toolchain="emulator").seen, torch.ones(512)
    )
    requests = {}
    for each in traced.traffic:
        requests[each.kernel, each.op] = requests.get((each.kernel, each.op), 0) + each.requests
    assert not traced.hazards and requests == {
        **{("copies", "load"): 2 * 4, ("copies", "store"): 2 * 4},
        **{("structs", "load"): 4, ("structs", "store"): 1},
        **{("atomics", "load"): 1, ("atomics", "store"): 1, ("atomics", "atomic"): 1},
        **{("results", "load"): 3, ("results", "store"): 5},
    }


CONSTANT = kernel("efficiency/constants")


def test_loads_of_constant_memory_ask_nothing_of_global_memory():
    built = load_inline("constants", cuda_sources=CONSTANT, functions=["constants"], toolchain="emulator")
    loads = {}
    for each in trace(built.constants, torch.ones(32)).traffic:
        if each.op == "load":
            loads[each.kernel] = loads.get(each.kernel, 0) + each.requests
    # When `reads` runs, a kernel has written `weights`, which is then a buffer like `table`.
    assert loads == {"weighted": 1, "reads": 3}


@pytest.mark.parametrize(
    ("call", "name"),
    [
        ('strncmp(reinterpret_cast<const char*>(a + i), "", 1)', "strncmp"),
        ("memcmp(a + i, c + i, 4)", "memcmp"),
        ("std::__hash_memory(a + i, 4)", r"std::__1::__hash_memory\(void const\*, unsigned long\)"),
        ("pointer(a + i, 4)", r"std::__1::__hash_memory\(void const\*, unsigned long\)"),
    ],
)
def test_a_kernel_that_calls_the_hosts_functions_stops(call, name):
    source = kernel("efficiency/calls_the_host").replace("(CALL ", f"({call} ")
    traced = trace(
        load_inline("called", cuda_sources=source, functions=["called"], toolchain="emulator").called, torch.ones(32)
    )
    (hazard,) = traced.hazards
    assert re.match(f"a kernel called {name}, which is a host function", hazard.detail), hazard.detail


@pytest.mark.parametrize("conversion", ["%n", "%d %%n %5.1f%hhn", "%1$*1$d%2$n"])
def test_what_a_kernel_prints_stores_nothing(conversion):
    source = kernel("efficiency/prints").replace('"CONVERSION"', f'"{conversion}"')
    module = load_inline("called", cuda_sources=source, functions=["called"], toolchain="emulator")
    (hazard,) = trace(module.called, torch.ones(32, dtype=torch.int32)).hazards
    assert hazard.detail.startswith("a kernel's printf stores nothing: remove %n")


@pytest.mark.parametrize("call", ["std::vector<float> x(n); memcpy(x.data(), a, 4 * n);", "memset(c, 0, 4 * n);"])
def test_the_host_copies_nothing_through_a_device_pointer(call):
    (hazard,) = judged(scale(call + ONCE), "scalar_multiply_few_sectors").hazards
    assert hazard.kind == "host-access"


def test_what_is_counted_must_have_right_values():
    """A source that shows the tracer another kernel, with few requests and wrong values, is detected."""
    two_faced = f"{TRACED} copy_kernel<<<(n + 255) / 256, 256>>>(a, c, n); else {{ {ONCE} }}"
    verdict = judged(scale(two_faced), "scalar_multiply_few_sectors")
    assert not verdict.correct and "elements of the output are wrong" in verdict.message


def test_fewer_requests_than_inputs_and_output_need_are_refused():
    outcome = Outcome(traffic=())
    task = load_task("row_scaling_few_requests")
    result = check_traffic_budget(CaseResult("", True), Trial(task, task.cases[0], 0), outcome, Lines())
    assert not result.passed and "0 requests from global memory, fewer than the 1,024" in result.seen


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (Answer("python", "def f(A, s):\n    return A * s", "f"), "could not be counted: the answer is Python"),
        (
            scale(f'{TRACED} TORCH_CHECK(false, "not here"); {ONCE}'),
            "The answer failed when it was built and run again for tracing. The call raised RuntimeError: not here",
        ),
    ],
)
def test_what_cannot_be_counted_gets_no_points(answer, words):
    verdict = judged(answer, "scalar_multiply_few_sectors")
    assert not verdict.correct and re.search(words, verdict.message), verdict.message


def test_a_machine_that_counts_wrongly_costs_no_points(monkeypatch):
    for user in ("referee.judge", "worker.worker"):
        monkeypatch.setattr(f"course.{user}.counting_problem", lambda: "The emulator counts wrongly.")
    with pytest.raises(CannotJudge, match="The emulator counts wrongly"):
        judged(scale(ONCE), "scalar_multiply_few_sectors")
    assert judged(scale(ONCE), "scalar_multiply", cases=[Case({"M": 1, "N": 8})]).correct


@pytest.mark.slow
def test_what_takes_too_long_when_it_is_traced_is_not_counted_and_gets_no_points(monkeypatch):
    slow = f"{TRACED} for (;;); {ONCE}"
    monkeypatch.setattr("course.referee.trial.CALL_SECONDS", 3.0)
    verdict = judged(scale(slow), "scalar_multiply_few_sectors")
    assert not verdict.correct and "could not be counted" in verdict.message and "3 s" in verdict.message


def test_a_case_is_traced_whatever_its_size_and_whatever_is_asked():
    cases = [Case({"M": 1024, "N": 512}, budget={"sectors": 3 * 2 * 1024 * 512 // 16})]
    assert judged(scale(ONCE), "scalar_multiply", cases=cases, traced=False).correct
    cases = [Case({"M": 1024, "N": 512}, budget={"sectors": 2 * 1024 * 512 // 8 - 1})]
    assert not judged(scale(ONCE), "scalar_multiply", cases=cases, traced=False).correct


@pytest.mark.parametrize(
    "budget", [{"bytes": 3}, {"sectors": -1}, {"requests": "many"}, {"sectors": 2.5}, {"sectors": True}]
)
def test_a_case_that_counts_something_else_is_refused_in_a_sentence(budget):
    with pytest.raises(TaskError, match="a whole number, 0 or more, of sectors, requests, "):
        Case(budget=budget)


def test_a_refusal_has_nothing_to_count():
    with pytest.raises(TaskError, match="nothing to count"):
        Case(change="host:0", expect="error", budget={"sectors": 3})


def test_a_case_survives_the_way_to_a_worker_and_says_what_it_asks():
    case = Case({"M": 3}, budget={"sectors": 4096})
    assert Case.from_json(json.loads(json.dumps(case.to_json()))) == case
    assert str(case) == "M=3, at most 4,096 sectors"


LINE = {
    **{"kernel": "k", "line": 3, "space": "global", "op": "load", "bytes_each": 4, "requests": 1, "units": 4},
    **{"ideal": 4, "lanes": 32, "cycles": 1, "lines": 1},
}


@pytest.mark.parametrize("data", [3, "load", {}, {**LINE, "more": 1}, {**LINE, "units": "4"}, {**LINE, "ideal": 0}])
def test_traffic_that_no_tracer_counts_is_nonsense(data):
    assert outcome_from_json({"traffic": [LINE]}).traffic[0].lanes == 32
    with pytest.raises(MALFORMED):
        outcome_from_json({"traffic": [data]})


def test_a_worker_counts_where_it_is_asked_to():
    answer, task = scale(ONCE), load_task("scalar_multiply")
    with Worker("traced") as worker:
        worker.load("answer", answer, task)
        (load, store) = worker.run("answer", task, Case({"M": 4, "N": 8}), 0, counting=True).traffic
        assert (load.op, load.requests, load.units, load.ideal) == ("load", 1, 4, 4) and store.op == "store"
        assert worker.run("answer", task, Case({"M": 4, "N": 8}), 0).traffic == ()


# What the verdict shows of the traffic.


def test_the_verdict_has_the_traffic_of_its_largest_traced_case():
    verdict = judged(scale(ONCE), "scalar_multiply", cases=[Case({"M": 1, "N": 8}), Case({"M": 4, "N": 64})])
    assert verdict.correct
    load, store = json.loads(json.dumps(verdict.to_json()))["traffic"]
    assert load == {
        **{"kernel": "scale_kernel", "line": 6, "space": "global", "op": "load"},
        **{"bytes_each": 4, "requests": 8, "units": 32, "ideal": 32, "cycles": 8, "lines": 8},
    }
    assert store == {**load, "op": "store"}
    said = "Global memory, with M=4, N=64: 16 requests for 64 sectors of 32 bytes, as few as could hold"
    assert said in verdict.text() and said in verdict._repr_html_()


def test_a_failed_verdict_does_not_repeat_the_traffic():
    verdict = judged(scale("four_kernel<<<(n + 1023) / 1024, 256>>>(a, s, c, n);"), "scalar_multiply_few_sectors")
    assert verdict.traffic and "Global memory, with" not in verdict.text()  # the messages of the cases have it
    wrong = judged(scale(ONCE.replace("(a, s", "(a, s + 1")), "scalar_multiply")
    assert not wrong.traffic and "Global memory" not in wrong.text()
