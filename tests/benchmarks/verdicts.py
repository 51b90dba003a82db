"""Records the verdict on every answer that the tests know, and compares two records.

    python -m tests.benchmarks.verdicts record FILE [PART ...]     parts: solutions honest gallery cheats faults corpus
    python -m tests.benchmarks.verdicts compare BEFORE AFTER       exit code 1 if a verdict differs

Run it before and after a change of the judge. Answers are judged in the sandbox, on visible and hidden cases. Inputs
are drawn anew each time, so numbers are left out of what is compared.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from autograder.classroom import ROOT, Classroom
from autograder.judging.jobs import Job, Question, judge_jobs
from course.build import bindable_functions, load_inline
from course.errors import BuildError
from course.tasks import HIDDEN
from course.worker.protocol import Answer
from tests import corpus, heads
from tests.cheats import cheats
from tests.exercises import asked
from tests.faults import faults
from tests.gallery import gallery

COMPARED = ("correct", "compiled", "hazards", "mistakes", "flags")
OUTSIDE = ROOT / "tests" / "kernels" / "row_scaling.cu"  # any file that is not the course's
WORKERS = 2


def questions(task: str) -> tuple[Question, ...]:
    """The task on its visible cases and, if it has some, on its hidden cases."""
    hidden = (HIDDEN / f"{task}.py").exists()
    return (Question("visible", task, "visible"), *([Question("hidden", task, "hidden")] * hidden))


def solutions() -> Iterator[tuple[str, Job]]:
    """The solution of each answer in `solutions/`, with each question about it."""
    for notebook in Classroom(ROOT).assignments:
        for name, exercise in asked(notebook).items():
            yield from ((f"solutions/{name}", Job(answer, question, "emulator")) for answer, question in exercise)


def answers(parts: list[str]) -> Iterator[tuple[str, Job]]:
    """Each answer of `parts` by name, with each of its questions."""
    if "solutions" in parts:
        yield from solutions()
    if "honest" in parts:
        for kernel in heads.read_all(ROOT / "tests" / "honest"):
            flags = tuple(kernel.fields.get("flags", "").split())
            answer = Answer("cuda", kernel.source, bindable_functions(kernel.source)[-1], flags)
            for question in questions(kernel.fields["task"]):
                yield f"honest/{kernel.name}", Job(answer, question, "emulator")
    if "gallery" in parts:
        for mistake in gallery():
            for question in questions(mistake.task):
                yield f"gallery/{mistake.name}", Job(mistake.answer, question, "emulator")
    if "cheats" in parts:
        for cheat in cheats():
            if not cheat.edits_notebook and not cheat.for_time:
                yield f"cheats/{cheat.name}", Job(cheat.answer(OUTSIDE), cheat.question, "emulator")
    if "faults" in parts:
        asked = {cheat.question.name: cheat for cheat in cheats()}
        of_answer = {"00-add": "00-add-check", "00-candidate": "00-candidate-check", "00-blocks": "00-blocks-check"}
        for fault in faults():
            if fault.text and (cheat := asked.get(of_answer[fault.costs])):
                magic = {"00-add": "%%cuda adder\n", "00-candidate": "%%candidate adding\n"}.get(fault.costs, "")
                answer = Answer.of_cell(magic + fault.text, cheat.function)
                yield f"faults/{fault.name}", Job(answer, cheat.question, "emulator")


def outcomes() -> Iterator[tuple[str, dict[str, Any]]]:
    """What each wrapper of the corpus does in the emulator: how it is refused, or which calls differ from PyTorch's."""
    for wrapper in corpus.wrappers():
        try:
            module = load_inline("corpus", **corpus.arguments([wrapper]), toolchain="emulator")
        except BuildError as error:
            yield f"corpus/{wrapper.name}", {"compiled": False, "message": str(error)}
            continue
        names = {name: getattr(module, name) for name in wrapper.functions or ()} | {"module": module}
        wrong = [corpus.mismatch(call, names, corpus.EMULATED) for call in wrapper.calls]
        yield f"corpus/{wrapper.name}", {"compiled": True, "mistakes": [each for each in wrong if each]}


def record(file: Path, parts: list[str]) -> None:
    """Judge the answers of `parts`, and write the verdicts to `file`, which keeps what it has of other answers."""
    found: dict[str, dict[str, Any]] = json.loads(file.read_text()) if file.exists() else {}
    by_job: dict[Job, list[str]] = {}
    for name, job in answers(parts):
        by_job.setdefault(job, []).append(name)
    print(f"{len(by_job)} answers", flush=True)
    for number, (job, judgement) in enumerate(judge_jobs(by_job, WORKERS), start=1):
        for name in by_job[job]:
            verdict = judgement.verdict
            found[f"{name} {job.question.name}"] = {
                "correct": judgement.correct,
                "compiled": verdict.get("compiled"),
                "hazards": sorted({hazard["kind"] for hazard in verdict.get("hazards", ())}),
                "mistakes": list(judgement.mistakes),
                "flags": list(judgement.flags),
                "message": verdict.get("message", judgement.reason),
            }
        file.write_text(json.dumps(found, indent=1))
        print(number, *by_job[job], flush=True)
    if "corpus" in parts:
        found |= dict(outcomes())
        file.write_text(json.dumps(found, indent=1))


def compare(before: Path, after: Path) -> int:
    """Print each verdict that differs, and how many messages read differently. Returns the exit code."""
    old, new = json.loads(before.read_text()), json.loads(after.read_text())
    differing = 0
    for name in sorted(old.keys() | new.keys()):
        one, other = old.get(name), new.get(name)
        if one is None or other is None:
            print(f"{name}: only {'after' if one is None else 'before'}")
            continue
        facts = {key: (one.get(key), other.get(key)) for key in COMPARED if one.get(key) != other.get(key)}
        if facts:
            differing += 1
            print(f"{name}: {facts}\n  before: {one.get('message', '')}\n  after:  {other.get('message', '')}")
    texts = [re.sub(r"[\d.,e+-]+", "#", str(each.get("message", ""))) for data in (old, new) for each in data.values()]
    print(f"{len(old)} verdicts before, {len(new)} after, {differing} differ; {len(set(texts))} distinct messages")
    return differing > 0


if __name__ == "__main__":
    command, first, *rest = sys.argv[1:]
    if command == "compare":
        sys.exit(compare(Path(first), Path(rest[0])))
    record(Path(first), rest or ["solutions", "honest", "gallery", "cheats", "faults", "corpus"])
