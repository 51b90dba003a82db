"""Runs every subject under Nsight Compute and compute-sanitizer, and keeps their reports in a folder. Needs a GPU.

The folder gets `plan.json` (what was built and is called, with its sources), `nsight.json.gz` (every instruction that
touches memory, of every launch), `sanitizer/NUMBER-TOOL.log`, and `machine.json` (versions, seconds per step).
"""

from __future__ import annotations

import contextlib
import gzip
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import torch

from course import build
from course.tasks import Case
from tests.benchmarks.microscope.subjects import (
    Calls,
    Subject,
    WithLines,
    as_worker,
    from_json,
    subjects,
    to_json,
    traced,
)

STEPS = ("prepare", "nsight", "sanitizer")
PROFILED = 2  # cases of a subject that are profiled
BATCHES = 3  # processes that are profiled, one after another: if one dies, the others still run
BATCH_SECONDS, TOOL_SECONDS = 150, 60

# Per instruction. `inst_executed` counts warps, whatever the predicate; the next one counts threads where it is true.
PER_INSTRUCTION = (
    "inst_executed", "thread_inst_executed_true", "memory_l2_theoretical_sectors_global",
    "memory_l1_tag_requests_global", "memory_l1_wavefronts_shared", "memory_l1_wavefronts_shared_ideal",
)  # fmt: skip
# Per launch, from the hardware's own counters, as a second check.
PER_LAUNCH = tuple(
    [f"l1tex__t_{what}_pipe_lsu_mem_global_op_{op}.sum" for what in ("requests", "sectors") for op in ("ld", "st")]
    + [f"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{op}.sum" for op in ("ld", "st")]
)
# Options that request them, the best first. The first that works in a trial launch is used.
ASKED = (
    ("--metrics", ",".join(PER_INSTRUCTION + PER_LAUNCH)),
    ("--metrics", ",".join(PER_INSTRUCTION)),
    ("--section", "SourceCounters", "--metrics", ",".join(PER_LAUNCH)),
    ("--set", "full"),
)
MEMORY = re.compile(r"(?:@!?U?P\w+\s+)?(?:LD|ST|ATOM|RED)[GSL]?\b")  # not LDC (constants) nor REDUX (registers)
# What a source must contain so that the tool has something to check.
TOOLS = {"memcheck": "", "initcheck": "", "racecheck": "__shared__", "synccheck": "__sync"}
TOOL_FLAGS = ("--target-processes", "application-only", "--print-limit", "300", "--show-backtrace", "no")


def collect(folder: Path, steps: Sequence[str]) -> int:
    """Do the steps, in the order given. Returns 1 if one of them found nothing."""
    folder.mkdir(parents=True, exist_ok=True)
    machine = folder / "machine.json"
    told = json.loads(machine.read_text()) if machine.exists() else {}
    for step in steps:
        start = time.perf_counter()
        found = {"prepare": prepare, "nsight": nsight, "sanitizer": sanitizer}[step](folder)
        told[step] = {"found": found, "seconds": round(time.perf_counter() - start, 1)}
        print(f"{step}: {found} in {told[step]['seconds']} s", flush=True)
        machine.write_text(json.dumps({**told, "versions": versions()}, indent=1))
        if not found:
            return 1
    return 0


def versions() -> dict[str, str]:
    """The versions, as the tools print them."""
    commands = (["ncu", "--version"], ["compute-sanitizer", "--version"], ["nvcc", "--version"], ["uname", "-r"])
    told = {"torch": torch.__version__}
    for command in commands:
        with contextlib.suppress(OSError):
            told[command[0]] = subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
    return told


def prepare(folder: Path) -> int:
    """Build and trace every subject, on all cores, and write the plan. Returns how many were built."""
    work = partial(prepared, folder=folder.resolve())
    with ProcessPoolExecutor(os.cpu_count(), mp_context=get_context("spawn")) as pool:
        plan = list(pool.map(work, map(to_json, subjects())))
    (folder / "plan.json").write_text(json.dumps(plan, indent=1))
    for each in plan:
        if each["problem"]:
            print(f"{each['name']}: {each['problem']}")
    return sum(not each["problem"] for each in plan)


def prepared(told: dict[str, Any], folder: Path) -> dict[str, Any]:
    """The plan's entry for one subject, which is given as `to_json` writes it.

    Only cases that the tracer follows to the end are profiled, so that no launch ends the process. At most two of these
    are profiled: the most costly case, and one more, with another layout if there is one.
    """
    subject = from_json(told)
    cases = subject.cases
    seen = traced(subject, cases)
    problem = seen["problem"]
    if not problem:
        try:
            with as_worker("nvcc"):
                loaded(subject, folder)
        except Exception as error:  # a file of the gallery may have any mistake
            problem = f"{type(error).__name__}: {error}".splitlines()[0]
    clean = [i for i, case in enumerate(seen["cases"]) if case["whole"] and case["traffic"]]
    profiled = clean[:1] + sorted(clean[1:], key=lambda i: cases[i].layout == cases[clean[0]].layout)
    return {
        **told,
        "problem": problem,
        "kernels": subject.kernels,
        "cases": [case.to_json() for case in cases],
        "profiled": profiled[:PROFILED],
        "traced": seen,
    }


def loaded(subject: Subject, folder: Path) -> Calls:
    """`subject`, built by nvcc with lines."""
    build.TOOLCHAINS["nvcc"] = WithLines(folder / "sources")
    return Calls("nvcc", subject)


def launch(folder: Path, calls: Iterable[str]) -> None:
    """Make the calls, each named `SUBJECT:CASE` by numbers of the plan, in an NVTX range of that name."""
    plan = json.loads((folder / "plan.json").read_text())
    held: dict[int, Calls] = {}
    with as_worker("nvcc"):
        for call in calls:
            number, case = map(int, call.split(":"))
            if number not in held:
                held = {number: loaded(from_json(plan[number]), folder.resolve())}
            torch.cuda.nvtx.range_push(call)
            try:
                held[number](Case.from_json(plan[number]["cases"][case]))
                print(call, "ended", flush=True)
            except Exception as error:
                print(call, type(error).__name__, str(error).splitlines()[:1], flush=True)
            torch.cuda.nvtx.range_pop()


def command(folder: Path, calls: Iterable[str]) -> list[str]:
    return [sys.executable, "-m", "tests.benchmarks.microscope", "launch", str(folder), *calls]


def nsight(folder: Path) -> int:
    """Profile the planned calls, and save their instructions. Returns how many launches there were."""
    plan = json.loads((folder / "plan.json").read_text())
    built = [(number, each) for number, each in enumerate(plan) if not each["problem"]]
    calls = [f"{number}:{case}" for number, each in built for case in each["profiled"]]
    names = "|".join(sorted({kernel for _, each in built for kernel in each["kernels"]}))
    options = [
        "--target-processes", "application-only", "--clock-control", "none", "--cache-control", "none", "--nvtx",
        "--import-source", "yes", "--kernel-name-base", "function", "--kernel-name", f"regex:^({names})$",
    ]  # fmt: skip
    for asked in ASKED:
        if any(each["instructions"] for each in profiled(folder, [*options, *asked], calls[:1], "trial")):
            break
    else:
        print("Nsight Compute reported no instruction: trial.log says why.")
        return 0
    size = -(-len(calls) // BATCHES)
    found = []
    for batch in range(BATCHES):
        found += profiled(folder, [*options, *asked], calls[batch * size : (batch + 1) * size], f"batch-{batch}")
    with gzip.open(folder / "nsight.json.gz", "wt") as file:
        json.dump({"asked": asked, "launches": found}, file)
    return len(found)


def profiled(folder: Path, options: Sequence[str], calls: Sequence[str], name: str) -> list[dict]:
    """The launches of `calls`, as Nsight Compute saw them. Keeps a log, and the report if it cannot be read."""
    report = folder / f"{name}.ncu-rep"
    run_tool(["ncu", *options, "-f", "-o", str(report), *command(folder, calls)], folder / f"{name}.log", BATCH_SECONDS)
    if not report.exists():
        return []
    extracted = folder / f"{name}.json"
    read = [sys.executable, "-m", "tests.benchmarks.microscope", "extract", str(report), str(extracted)]
    run_tool(read, folder / f"{name}-extract.log", BATCH_SECONDS)
    if not extracted.exists():
        return []
    launches = json.loads(extracted.read_text())
    extracted.unlink()
    if any(each["instructions"] for each in launches):
        report.unlink()
    return launches


def extract(report: Path, target: Path) -> None:
    """Write what a report has about every launch: its name, NVTX ranges, counters, and memory instructions."""
    folders = [Path(path).parent for path in (shutil.which("ncu"),) if path]
    places = [
        found
        for root in (*folders, *(f.resolve() for f in folders), Path("/opt/nvidia/nsight-compute"))
        for found in (*root.glob("extras/python/ncu_report.py"), *root.glob("*/extras/python/ncu_report.py"))
    ]
    sys.path[:0] = [str(place.parent) for place in places]
    import ncu_report

    context = ncu_report.load_report(str(report))
    actions = [r.action_by_idx(i) for r in map(context.range_by_idx, range(context.num_ranges())) for i in _indices(r)]
    target.write_text(json.dumps([told_action(action) for action in actions]))


def _indices(report_range: Any) -> range:
    return range(report_range.num_actions())


def told_action(action: Any) -> dict[str, Any]:
    """One launch of a report (an `IAction` of ncu_report) as plain data."""
    names = set(action.metric_names())
    values = {name: by_address(action.metric_by_name(name)) for name in PER_INSTRUCTION if name in names}
    addresses = sorted({address for each in values.values() for address in each})
    instructions = []
    for address in addresses:
        sass = (action.sass_by_pc(address) or "").strip()
        if not MEMORY.match(sass):
            continue
        place = action.source_info(address)
        instructions.append(
            {
                "offset": address - addresses[0],
                "sass": sass,
                "file": place.file_name() if place else "",
                "line": place.line() if place else 0,
                **{name: each.get(address, 0) for name, each in values.items()},
            }
        )
    state = action.nvtx_state()
    domains = [state.domain_by_id(i) for i in state.domains()] if state else []
    return {
        "kernel": action.name(),
        "ranges": [name for domain in domains for name in domain.push_pop_ranges()],
        "counters": {name: action.metric_by_name(name).as_double() for name in PER_LAUNCH if name in names},
        "missing": sorted({*PER_INSTRUCTION, *PER_LAUNCH} - names),
        "instructions": instructions,
    }


def by_address(metric: Any) -> dict[int, int]:
    """The values of a metric that has one for each instruction."""
    ids = metric.correlation_ids()
    return {ids.as_uint64(i): int(metric.as_uint64(i)) for i in range(metric.num_instances())} if ids else {}


def sanitizer(folder: Path) -> int:
    """Run the tools over every subject that was built, one process per run. Returns how many runs ended."""
    plan = json.loads((folder / "plan.json").read_text())
    logs = folder / "sanitizer"
    logs.mkdir(exist_ok=True)
    # Without the caching allocator: its blocks would hide accesses to memory between two tensors.
    environment = {**os.environ, "PYTORCH_NO_CUDA_MEMORY_CACHING": "1"}
    jobs = []
    for number, each in enumerate(plan):
        calls = [f"{number}:{case}" for case in range(len(each["cases"]))]
        for tool, wanted in TOOLS.items():
            if not each["problem"] and wanted in each["answer"]["source"]:
                extra = ("--destroy-on-device-error", "kernel") if tool == "memcheck" else ()
                tool_command = ["compute-sanitizer", "--tool", tool, *TOOL_FLAGS, *extra, *command(folder, calls)]
                jobs.append((tool_command, logs / f"{number}-{tool}.log"))
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        done = list(pool.map(lambda job: run_tool(*job, TOOL_SECONDS, environment), jobs))
    return sum(done)


def run_tool(command: Sequence[str], log: Path, seconds: float, environment: dict | None = None) -> bool:
    """Run `command` with its output in `log`; False if it was stopped after `seconds`, as `log` then says."""
    with log.open("w") as file:
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=file, stderr=subprocess.STDOUT, env=environment,
            start_new_session=True,
        )  # fmt: skip
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            file.write(f"\nSTOPPED after {seconds} s\n")
            return False
    return True
