"""The comparison with NVIDIA's tools: which kernels, and what it makes of what the tools said (made up here)."""

import gzip
import json
import types

import pytest

from course.tasks import load_task
from course.worker import Answer
from tests.benchmarks.microscope import table as tables
from tests.benchmarks.microscope.collect import by_address, told_action
from tests.benchmarks.microscope.subjects import Subject, from_json, named, subjects, to_json, traced
from tests.benchmarks.microscope.table import Side, compared, flagged, markdown, of_nsight, of_tracer, statement_lines

ADD = """
#include <torch/extension.h>
__global__ void add_kernel(const float* A, const float* B, float* C, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        C[i] = A[i] +
               B[i];
    }
}
torch::Tensor add(torch::Tensor A, torch::Tensor B) {
    torch::Tensor C = torch::empty_like(A);
    const int n = A.numel();
    add_kernel<<<(n + 255) / 256, 256>>>(A.data_ptr<float>(), B.data_ptr<float>(), C.data_ptr<float>(), n);
    return C;
}
"""
SUBJECT = Subject("an example", Answer("cuda", ADD, "add"), load_task("vector_add"))
LINE = ("s", "k", 5, "global", "load")


def sided(requests, units, *, threads=0, widths=(4,), instructions=1, predicated=False):
    return Side(requests, units, threads, set(widths), set(range(instructions)), predicated)


def class_of(ours, theirs, elsewhere=(None, None)):
    """The class of one line; `elsewhere`, what another line of the kernel has on either side."""
    keys = LINE, (*LINE[:2], 9, *LINE[3:])
    sides = (
        {key: side for key, side in zip(keys, both, strict=True) if side}
        for both in zip((ours, theirs), elsewhere, strict=True)
    )
    return compared(*sides)[LINE]["class"]


def test_every_cell_and_file_is_a_subject_with_kernels_and_cases():
    found = subjects()
    names = [subject.name for subject in found]
    assert len(set(names)) == len(names) > 150
    for part in ("00/count-kernel.count_threads", "04/patient-3.", "04/04-jk.unpadded", "05/05-candidate.ModelNew"):
        assert any(name.startswith(part) for name in names), part
    assert {name for name in names if name.startswith("05/patient-1")} == {
        "05/patient-1.relu_forward (relu_fours)",
        "05/patient-1.relu_forward (relu_aligned)",
    }
    for subject in found:
        assert all(kernel.endswith("kernel") for kernel in subject.kernels), subject.name


def test_a_subject_goes_through_json_and_is_traced():
    subject = from_json(json.loads(json.dumps(to_json(SUBJECT))))
    case = next(case for case in subject.cases if case.sizes["N"] == 1025)
    seen = json.loads(json.dumps(traced(subject, [case])))
    (row,) = seen["cases"]
    assert (row["hazards"], row["whole"]) == ([], True)
    assert seen["sources"] == {named(ADD): ADD}
    sides = of_tracer(row["traffic"], {named(ADD): statement_lines(ADD)})
    assert {key[2:]: (side.requests, side.units, side.widths) for key, side in sides.items()} == {
        (6, "global", "load"): (2 * 33, 2 * (128 + 1), {4}),
        (6, "global", "store"): (33, 128 + 1, {4}),
    }
    assert traced(Subject("broken", Answer("cuda", "int f(", "f"), subject.task), [case])["problem"]


@pytest.mark.parametrize("extra", [0, 1])
def test_a_tool_that_sees_what_the_tracer_sees_gives_a_table_without_remainder(tmp_path, extra):
    case = next(case for case in SUBJECT.cases if case.sizes["N"] == 1025)
    seen = traced(SUBJECT, [case])
    traffic = seen["cases"][0]["traffic"]
    instructions = [
        {
            "offset": 16 * number,
            "sass": {"load": "LDG.E R1", "store": "STG.E R1"}[row["op"]],
            "file": f"{named(ADD)}.cu",
            "line": row["line"],
            "inst_executed": row["requests"],
            "thread_inst_executed_true": row["lanes"],
            "memory_l2_theoretical_sectors_global": row["units"] + extra,
        }
        for number, row in enumerate(traffic)
    ]
    counters = {"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum": 66.0}
    launch = {"kernel": "add_kernel", "ranges": ["0:0"], "counters": counters, "instructions": instructions}
    with gzip.open(tmp_path / "nsight.json.gz", "wt") as file:
        json.dump({"launches": [launch]}, file)
    plan = [{**to_json(SUBJECT), "cases": [case.to_json()], "profiled": [0]}]
    lines, notes = tables.nsight_lines(plan, [seen], tmp_path)
    assert [row["class"] for row in lines] == [("equal", "unexplained")[extra]] * 2
    assert notes[1:] == [f"The hardware's counter {next(iter(counters))} is the tracer's total in 1 of 1 calls."]
    row = {"subject": "s", "sanitizer": {"memcheck": []}, "ours": [], "missing": [], "only here": {}}
    assert markdown(lines, [row], [])[1] == (not extra)


@pytest.mark.parametrize(
    ("right", "wrong", "kind", "whole"),
    [
        ("i < n", "i < n - 1", "unwritten-output", True),
        ("i < n", "i <= n", "out-of-bounds", False),
        (", 256>>>", ", 2048>>>", "bad-launch", False),
    ],
)
def test_traffic_is_whole_where_a_kernel_ran_to_its_end(right, wrong, kind, whole):
    case = next(case for case in SUBJECT.cases if case.sizes["N"] == 1025)
    answer = Answer("cuda", ADD.replace(right, wrong), "add")
    (seen,) = traced(Subject("wrong", answer, SUBJECT.task), [case])["cases"]
    assert kind in {kind for kind, _ in seen["hazards"]} and seen["whole"] == whole


def test_a_statement_is_one_line():
    cuda = (
        "int a;\n#pragma unroll\nfor (int i = 0; i < 4;\n     ++i) {\n    b[i] =  // the sum\n        c[i];\n} d();\n\n"
    )
    assert statement_lines(cuda)[1:8] == [1, 0, 3, 3, 5, 5, 7]


@pytest.mark.parametrize(
    ("ours", "theirs", "expected"),
    [
        (sided(8, 32), sided(8, 32), "equal"),
        (sided(6, 24, threads=192), sided(8, 24, threads=192, predicated=True), "equal"),
        (sided(6, 24, threads=192), sided(8, 24, threads=192), "hoisted"),
        (sided(6, 24, threads=192), sided(8, 24, threads=190, predicated=True), "hoisted"),
        (sided(8, 32), sided(8, 31), "unexplained"),
        (sided(8, 32), sided(2, 32, widths=(16,)), "merged"),
        (sided(8, 32), sided(1, 4), "hoisted"),
        (sided(8, 32), sided(16, 64, instructions=2), "duplicated"),
        (sided(8, 32), None, "unexplained"),
        (sided(0, 0, widths=()), sided(8, 32), "unexplained"),
    ],
)  # fmt: skip
def test_a_line_is_put_in_a_class(ours, theirs, expected):
    assert class_of(ours, theirs) == expected


def test_a_line_without_instructions_was_merged_into_another_or_kept_in_a_register():
    written = sided(8, 32)
    assert class_of(written, None, (written, sided(8, 64, widths=(8,)))) == "merged"
    assert class_of(written, None, (written, sided(8, 32))) == "hoisted"


def test_a_store_that_differs_is_unexplained():
    key = (*LINE[:4], "store")
    rows = compared({key: sided(8, 32)}, {key: sided(4, 16)})
    assert rows[key]["class"] == "unexplained"


def test_shared_memory_is_compared_by_wavefronts():
    key = (*LINE[:3], "shared", "store")
    assert compared({key: sided(8, 16)}, {key: sided(9, 16)})[key]["class"] == "equal"


def test_a_headers_instruction_counts_for_the_line_that_has_none():
    header = ("Half", "k", 77, "global", "load")
    rows = compared({LINE: sided(8, 32)}, {header: sided(8, 32)})
    assert {key: row["class"] for key, row in rows.items()} == {LINE: "equal"}


class Metric:
    """As ncu_report has it."""

    def __init__(self, values):
        self.addresses, self.values = list(values), list(values.values())

    def correlation_ids(self):
        return Metric(dict(enumerate(self.addresses)))

    def num_instances(self):
        return len(self.values)

    def as_uint64(self, i):
        return self.values[i]


class Action:
    """A launch of one warp: a constant, a predicated load on line 7, a store of a float4 to shared memory on line 6."""

    SASS = types.MappingProxyType(
        {1000: "LDC R1, c[0x0][0x28]", 1016: "@!P0 LDG.E.CONSTANT R2, desc[UR4][R2.64]", 1032: "  STS.128 [R4], R8 "}
    )

    def metric_names(self):
        return ("inst_executed", "memory_l2_theoretical_sectors_global", "memory_l1_wavefronts_shared")

    def metric_by_name(self, name):
        sectors, wavefronts = {1016: 4}, {1032: 4}
        return Metric(
            {"inst_executed": dict.fromkeys(self.SASS, 1), "memory_l1_wavefronts_shared": wavefronts}.get(name, sectors)
        )

    def sass_by_pc(self, address):
        return self.SASS[address]

    def source_info(self, address):
        return type("Info", (), {"file_name": lambda _: "/there/s.cu", "line": lambda _: 7 if address == 1016 else 6})()

    def name(self):
        return "add_kernel"

    def nvtx_state(self):
        return None


def test_a_launch_of_a_report_becomes_lines():
    told = told_action(Action())
    assert [each["offset"] for each in told["instructions"]] == [16, 32] and "thread_inst_executed_true" in told[
        "missing"
    ]
    sides = of_nsight([told, told], {"s": statement_lines(ADD)})
    assert sides == {
        ("s", "add_kernel", 6, "global", "load"): Side(2, 8, 0, {4}, {16}, True),
        ("s", "add_kernel", 6, "shared", "store"): Side(2, 8, 0, {16}, {32}, False),
    }
    assert by_address(Metric({})) == {}


@pytest.mark.parametrize(
    ("sass", "expected"),
    [
        ("LDG.E.64.CONSTANT R2, desc[UR4][R2.64] ;", ("global", "load", 8)),
        ("@P1 STG.E.U16 desc[UR4][R4.64], R3", ("global", "store", 2)),
        ("LDS.U.128 R4, [R5]", ("shared", "load", 16)),
        ("REDG.E.ADD.STRONG.GPU desc[UR4][R2.64], R7", ("global", "atomic", 4)),
        ("RED.E.ADD.F32.FTZ.RN.STRONG.GPU desc[UR4][R2.64], R7", ("global", "atomic", 4)),
        ("ATOMS.ADD R2, [R3], R4", ("shared", "atomic", 4)),
        ("LDG.E.U8 R2, desc[UR4][R2.64]", ("global", "load", 1)),
        ("LDL R2, [R1]", ("local", "load", 4)),
    ],
)
def test_an_instruction_is_read(sass, expected):
    assert tables.operation({"sass": sass}) == expected


MARK, AT = "=========", "=========     at"
LOG = """========= COMPUTE-SANITIZER
3:0 ended
========= Invalid __global__ read of size 4 bytes
=========     at add_kernel(const float *, float *, int)+0x50 in /there/s.cu:6
=========     by thread (1,0,0) in block (0,0,0)
=========     {address}
=========
========= Uninitialized __global__ memory read of size 4 bytes
=========     at void at::native::vectorized_elementwise_kernel<4>(int)+0x50
=========
========= ERROR SUMMARY: 2 errors
"""


@pytest.mark.parametrize(
    ("log", "expected"),
    [
        (LOG.format(address="Address 0x7f is out of bounds"), {"out-of-bounds"}),
        (LOG.format(address="Address 0x7f is misaligned"), {"misaligned"}),
        (f"{MARK} Error: Race reported between Write access at void add_kernel<4>(int)+0x20", {"race"}),
        (f"{MARK} Barrier error detected. Divergent thread(s) in block.\n{AT} add_kernel+0x2", {"divergent-barrier"}),
        (f"{MARK} Barrier error detected. Divergent thread(s) in warp.\n{AT} add_kernel+0x2", {"divergent-warp"}),
        (f'{MARK} Program hit cudaErrorInvalidValue (error 1) on CUDA API call to cudaLaunchKernel.', {"bad-launch"}),
        (f"{MARK} Uninitialized __global__ memory read of size 4 bytes\n{AT} add_kernel(int)", {"uninitialised-read"}),
        ("========= ERROR SUMMARY: 0 errors\nInvalid __global__ read in add_kernel", set()),
    ],
)  # fmt: skip
def test_a_log_of_the_sanitizer_is_read(log, expected):
    assert flagged(log, ["add_kernel"]) == expected


def test_the_sanitizers_kinds_must_be_the_tracers(tmp_path, monkeypatch):
    (tmp_path / "sanitizer").mkdir()
    for number in range(2):
        ended = "\n".join(("", LOG.format(address="is out of bounds"), f"{number}:0 ended", "SUMMARY"))
        (tmp_path / "sanitizer" / f"{number}-memcheck.log").write_text(ended)
    (tmp_path / "sanitizer" / "0-initcheck.log").write_text("")
    plan = [{"name": name, "kernels": ["add_kernel"], "cases": [{}]} for name in ("one", "other")]
    kinds = ([["host-access", "A host pointer."], ["unwritten-output", "A gap."]], [["race", "A race."]])
    seen = [{"cases": [{"hazards": hazards}]} for hazards in kinds]
    monkeypatch.setattr(tables, "CONFIRMED", tmp_path / "confirmed.json")
    tables.CONFIRMED.write_text(json.dumps({"one": {"unwritten-output": "The tool does not look."}}))
    (one, other), notes = tables.sanitizer_kernels(plan, seen, tmp_path)
    assert (one["missing"], other["missing"]) == ([], ["out-of-bounds"])
    assert one["only here"] == {"unwritten-output": {"detail": "A gap.", "reason": "The tool does not look."}}
    assert other["only here"] == {"race": {"detail": "A race.", "reason": ""}}
    assert len(notes) == 1 and "one: initcheck did not end" in notes[0]
    text, fine = markdown([], [one, other], notes)
    assert "2 kernels: it flags 2, the tracer 2; 1 not by the same kind." in text and not fine
