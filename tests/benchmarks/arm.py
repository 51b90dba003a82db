"""`python -m tests.benchmarks.arm PART`: what the course finds on this machine's processor, as JSON.

The parts are in `PARTS`. The output for x86-64 and for ARM must be the same; docs/notes.md says how to emulate ARM.
"""

import contextlib
import dataclasses
import hashlib
import json
import re
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any
from unittest import mock

from nbclient import NotebookClient

from autograder.classroom import ROOT, Classroom
from autograder.demo import make_mistakes
from autograder.judging.jobs import Job, judge_job
from course import load_inline
from course.device import sandbox_problem
from course.notebook.trace import trace
from course.referee.judge import judge
from course.tasks import load_task
from tests.cheats import cheats
from tests.gallery import gallery

COUNTED, NOTEBOOK = ("01-row-scaling", "03-matmul", "04-tiled-matmul"), "00-first-kernel"
MISTAKES = (
    "00-empty-grid", "00-every-second-element", "00-forward-adds", "00-half-precision", "00-in-place",
    "00-missing-semicolon", "00-no-guard", "00-output-on-the-host", "01-block-of-4096", "01-chunk-per-thread",
    "03-sum-not-initialised", "03-x-along-j", "04-barrier-inside-if", "04-no-barriers", "04-no-padding",
    "05-float4-at-every-element", "06-adds-without-atomics", "06-shuffle-inside-if", "07-float-only",
    "08-no-maximum",
)  # fmt: skip
CHEATS = (  # stopped by something else than the sandbox
    "calls-a-pointer", "computed-address", "dlopen", "ends-when-traced", "exit-status-0", "fallback",
    "host-loop", "nan-everywhere", "stores-by-printf", "unchecked-index",
)  # fmt: skip


def counts() -> dict[str, Any]:
    """What `trace` returns for each solution, on every case of its question that asks for values."""
    found = {}
    for name in COUNTED:
        cells = Classroom(ROOT).read("solutions", name).cells
        sources = {cell.metadata.get("nbgrader", {}).get("grade_id"): cell.source for cell in cells}
        for asked in (cell.metadata.course for cell in cells if "answer" in cell.metadata.get("course", {})):
            magic, _, source = sources[asked.answer].partition("\n")
            if not magic.startswith("%%cuda") or asked.cases != "visible":
                continue
            function = getattr(load_inline("counted", cuda_sources=source, functions=[asked.function]), asked.function)
            for number, case in enumerate(load_task(asked.task).cases):
                if case.expect == "value":
                    traced = trace(function, *load_task(asked.task).sized(case.sizes).inputs(case, 7, "cpu"))
                    found[f"{asked.answer} {asked.task} {number} {case}"] = {
                        "traffic": [dataclasses.asdict(line) for line in traced.traffic],
                        "touched": [dataclasses.asdict(launch) for launch in traced.sectors_touched],
                        "hazards": [(hazard.kind, hazard.detail) for hazard in traced.hazards],
                        "arrays": [traced.sectors(), traced.wavefronts()],
                        "accesses": [len(traced.accesses), hashlib.sha256(repr(traced.accesses).encode()).hexdigest()],
                    }
    return found


def mistakes() -> dict[str, Any]:
    """The verdict on each of MISTAKES."""
    found = {}
    for mistake in (each for each in gallery() if each.name in MISTAKES):
        with mock.patch("secrets.randbits", lambda bits: 7):  # the same inputs everywhere
            verdict = judge(mistake.answer, mistake.task, toolchain="emulator")
        found[mistake.name] = [verdict.correct, sorted({each.kind for each in verdict.hazards}), verdict.message]
    return found


def stopped_cheats() -> dict[str, Any]:
    """Whether each of CHEATS earns a mark, and whether its verdict is the one that it must get."""
    found = {}
    for cheat in (each for each in cheats() if each.name in CHEATS):
        answer = cheat.answer(ROOT / "tests" / "kernels" / "row_scaling.cu")
        judgement = judge_job(Job(answer, cheat.question, "emulator", not sandbox_problem()))
        kinds, said = {each["kind"] for each in judgement.verdict["hazards"]}, judgement.verdict["message"]
        found[cheat.name] = [judgement.correct, kinds == cheat.hazards and bool(re.search(cheat.says, said))]
    return found


def notebook() -> dict[str, Any]:
    """Executes the solutions of NOTEBOOK. Fails if a cell fails."""
    solved, resources = (
        Classroom(ROOT).read("solutions", NOTEBOOK),
        {"metadata": {"path": ROOT / "solutions" / NOTEBOOK}},
    )
    NotebookClient(solved, timeout=None, startup_timeout=900, kernel_name="python3", resources=resources).execute()
    return {"executed": sum(bool(cell.get("execution_count")) for cell in solved.cells)}


def marks() -> dict[str, Any]:
    """The marks of a class of three for NOTEBOOK, by `autograder grade`."""
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(ROOT / "solutions" / NOTEBOOK, Path(folder, "solutions", NOTEBOOK))
        room = Classroom.anew(Path(folder, "class"), Path(folder, "solutions"))
        room.release()
        room.hand_in("solutions", "solutions")
        room.hand_in("untouched", "notebooks")
        room.hand_in("mistakes", "solutions", make_mistakes)
        room.grade("--no-sandbox")
        return {student: mark for (student, _), mark in room.marks().items()}


PARTS = {"counts": counts, "mistakes": mistakes, "cheats": stopped_cheats, "notebook": notebook, "marks": marks}

if __name__ == "__main__":
    with contextlib.redirect_stdout(sys.stderr):
        found = PARTS[sys.argv[1]]()
    print(json.dumps(found, indent=1))
