"""The comparison with NVIDIA's tools: its kernels, and its conclusions from what the tools say (made up here)."""

import gzip
import json
import types
from collections import Counter

import pytest

from course.tasks import load_task
from course.worker.protocol import Answer
from tests.benchmarks.microscope import table as tables
from tests.benchmarks.microscope.collect import by_address, told_action
from tests.benchmarks.microscope.subjects import Subject, from_json, named, subjects, to_json, traced
from tests.benchmarks.microscope.table import Side, compared, flagged, markdown, of_nsight, of_tracer, statement_lines
from tests.kernels import kernel

CONFIRMED = {"silent": [], "lines": {}, "kernels": {}}
VERSIONS = {"torch": "2.0", "ncu": "Version 2025.1.0 (build 1)"}
ADD = kernel("microscope/add")
SUBJECT = Subject("an example", Answer("cuda", ADD, "add"), load_task("vector_add"))
LINE = ("s", "k", 5, "global", "load")


def sided(requests, units, *ran, width=4, predicated=False):
    """`ran` has the number of threads that ran each instruction."""
    instructions = Counter(dict(enumerate(ran)))
    threads = instructions.total()
    return Side(requests, units, threads, width * threads, frozenset({width}), instructions, predicated)


def test_every_cell_and_file_is_a_subject_with_kernels_and_cases():
    found = subjects()
    names = [subject.name for subject in found]
    assert len(set(names)) == len(names) > 150
    for part in (
        "00/count-kernel.count_threads",
        "03/column-kernel.product",
        "04/04-jk.unpadded",
        "05/05-wide.scale_rows",
    ):
        assert any(name.startswith(part) for name in names), part
    assert {name for name in names if name.startswith("05/05-any")} == {
        "05/05-any.relu_forward (relu)",
        "05/05-any.relu_forward (relu_aligned)",
        "05/05-any.relu_forward (relu_any)",
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
    plan = [{**to_json(SUBJECT), "cases": [case.to_json()], "profiled": [0], "problem": ""}]
    lines, witnesses, notes = tables.nsight_lines(plan, [seen], tmp_path, CONFIRMED)
    assert [row["class"] for row in lines] == [("equal", "unexplained")[extra]] * 2
    assert witnesses == {(next(iter(counters)), True, not extra): 1}
    assert len(notes) == 1 and "1 calls of 1 of the 1 kernels" in notes[0]
    row = {"subject": "s", "sanitizer": {"memcheck": []}, "ours": [], "only there": {}, "only here": {}}
    assert markdown(lines, witnesses, [row], [], VERSIONS)[1] == (not extra)


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
        (sided(8, 32, 256), sided(8, 32, 256), "equal"),
        (sided(6, 24, 192), sided(8, 24, 192, predicated=True), "equal"),
        (sided(6, 24, 192), sided(8, 24, 192), "unexplained"),
        (sided(6, 24, 192), sided(8, 24, 190, predicated=True), "hoisted"),
        (sided(8, 32, 256), sided(8, 31, 256), "unexplained"),
        (sided(8, 32, 256), sided(2, 32, 64, width=16), "merged"),
        (sided(8, 32, 256), sided(2, 32, 63, width=16), "unexplained"),
        (sided(8, 32, 256), sided(1, 4, 32), "hoisted"),
        (sided(8, 32, 256), sided(9, 33, 56, 200), "duplicated"),
        (sided(8, 32, 256), sided(9, 33, 128, 128), "unexplained"),
        (sided(8, 32, 256), sided(9, 33, 64, 200), "unexplained"),
        (sided(8, 32, 256), Side(), "unexplained"),
        (Side(), sided(8, 32, 256), "unexplained"),
    ],
)  # fmt: skip
def test_a_line_is_put_in_a_class(ours, theirs, expected):
    assert compared({LINE: ours}, {LINE: theirs})[LINE]["class"] == expected


def test_a_store_of_fewer_threads_is_unexplained():
    key = (*LINE[:4], "store")
    assert compared({key: sided(8, 32, 256)}, {key: sided(4, 16, 128)})[key]["class"] == "unexplained"


def test_shared_memory_is_compared_by_wavefronts():
    key = (*LINE[:3], "shared", "store")
    assert compared({key: sided(8, 16, 256)}, {key: sided(9, 16, 256)})[key]["class"] == "equal"


@pytest.mark.parametrize("moved_to", [("Half", "k", 77, *LINE[3:]), ("s", "k", 3, *LINE[3:])])
def test_an_instruction_on_a_line_without_accesses_counts_for_the_line_that_lacks_it(moved_to):
    left = {LINE: sided(4, 16, 128)}
    rows = compared({LINE: sided(8, 32, 256)}, {**left, moved_to: sided(4, 16, 128)})
    assert {key: row["class"] for key, row in rows.items()} == {LINE: "equal"}
    other = (*LINE[:2], 9, *LINE[3:])  # a second line that lacks one: nothing says which line it is
    rows = compared({LINE: sided(8, 32, 256), other: sided(8, 32, 256)}, {**left, moved_to: sided(4, 16, 128)})
    assert rows[moved_to]["class"] == rows[other]["class"] == "unexplained"


class Metric:
    """A metric, in the form of ncu_report."""

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
        ("s", "add_kernel", 6, "global", "load"): Side(2, 8, 0, 0, frozenset({4}), Counter(), True),
        ("s", "add_kernel", 6, "shared", "store"): Side(2, 8, 0, 0, frozenset({16}), Counter(), False),
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


BARRIER = f"{MARK} Barrier error detected. Divergent thread(s) in warp.\n{AT} add_kernel(int)+0x2 in s.cu:"


@pytest.mark.parametrize(
    ("log", "expected"),
    [
        (LOG.format(address="Address 0x7f is out of bounds"), {"out-of-bounds": {("s", 6)}}),
        (LOG.format(address="Address 0x7f is misaligned"), {"misaligned": {("s", 6)}}),
        (f"{MARK} Error: Race reported between Write access at void add_kernel<4>(int)+0x20", {"race": set()}),
        (f"{BARRIER}1", {"divergent-barrier": {("s", 1)}}),
        (f"{BARRIER}2", {"divergent-warp": {("s", 2)}}),
        (f"{MARK} Program hit cudaErrorX (error 1) on CUDA API call to cudaLaunchKernel.", {"bad-launch": set()}),
        ("========= ERROR SUMMARY: 0 errors\nInvalid __global__ read in add_kernel", {}),
    ],
)  # fmt: skip
def test_a_log_of_the_sanitizer_is_read(log, expected):
    assert flagged(log, ["add_kernel"], {"s": "__syncthreads();\n__syncwarp();"}) == expected


def test_the_sanitizers_kinds_must_be_the_tracers(tmp_path):
    (tmp_path / "sanitizer").mkdir()
    ended = "\n".join(("", LOG.format(address="is out of bounds"), "{number}:0 ended", "SUMMARY"))
    for number in range(2):
        (tmp_path / "sanitizer" / f"{number}-memcheck.log").write_text(ended.replace("{number}", str(number)))
    (tmp_path / "sanitizer" / "0-initcheck.log").write_text("")
    plan = [{"name": name, "kernels": ["add_kernel"], "cases": [{}]} for name in ("one", "other")]
    kinds = ([["host-access", "A host pointer."], ["unwritten-output", "A gap."]], [["race", "A race."]])
    seen = [{"sources": {"s": ADD}, "cases": [{"hazards": hazards}]} for hazards in kinds]
    confirmed = {
        "lines": {},
        "kernels": {"one": {"unwritten-output": "One is left out."}},
        "silent": [["unwritten-output", "gap", "Nobody looks."], ["race", "shared", "Never."]],
    }
    (one, other), notes = tables.sanitizer_kernels(plan, seen, tmp_path, confirmed)
    assert (one["only there"], other["only there"]) == ({}, {"out-of-bounds": ""})
    told = {"detail": "A gap.", "mistake": "One is left out.", "tools": "Nobody looks."}
    assert one["only here"] == {"unwritten-output": told}
    assert other["only here"] == {"race": {"detail": "A race.", "mistake": "", "tools": ""}}
    assert notes == ["initcheck did not run to its end on one."]
    line = {"class": "equal", "space": "global", "subject": "00/one"}
    text, fine = markdown([line], {}, [one, other], notes, VERSIONS)
    counts = "2 of 2 kernels. The tracer flags 2 of these, 1 of them with each kind that compute-sanitizer reports"
    assert counts in text and not fine
    assert markdown([line], {}, [one], notes, VERSIONS)[1]


@pytest.mark.parametrize(("read", "kind"), [(6, "out-of-bounds"), (7, "uninitialised-read")])
def test_what_lies_past_the_end_is_no_second_hazard(tmp_path, read, kind):
    (tmp_path / "sanitizer").mkdir()
    (tmp_path / "sanitizer" / "0-memcheck.log").write_text(LOG.format(address="is out of bounds"))
    uninitialised = f"{MARK} Uninitialized __global__ memory read\n{AT} add_kernel(int)+0x2 in s.cu:{read}"
    (tmp_path / "sanitizer" / "0-initcheck.log").write_text(uninitialised)
    plan = [{"name": "one", "kernels": ["add_kernel"], "cases": [{}]}]
    seen = [{"sources": {"s": ADD}, "cases": [{"hazards": [["out-of-bounds", ""]]}]}]
    ((row,), _) = tables.sanitizer_kernels(plan, seen, tmp_path, CONFIRMED)
    assert row["sanitizer"]["initcheck"] == [kind] and bool(row["only there"]) == (kind == "uninitialised-read")
