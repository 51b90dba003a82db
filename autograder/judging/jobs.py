"""One answer with all its questions, the judgement of each question, and the folder that keeps the judgements."""

from __future__ import annotations

import functools
import hashlib
import html
import importlib
import json
import logging
import os
import secrets
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import course
from autograder.judging.sandbox import sandbox
from autograder.judging.timed import FASTER_THAN_POSSIBLE, Race, floor_ms
from course.build import default_toolchain, usable_toolchain
from course.device import EMULATED, this_gpu
from course.errors import HAZARDS, CourseError
from course.measure import copy_ms
from course.referee.judge import judge
from course.referee.verdict import Verdict
from course.tasks import HIDDEN, Case, Task, load_task
from course.worker.protocol import Answer
from course.worker.server import Server

HERE = Path(__file__).parent
PROBE = HERE / "probe.cu"
SOURCES = (".py", ".h", ".cpp", ".cu", ".sh")
JUDGE_FAILED = "judge failed"
NOT_TRACED = "not traced"
FLAGS = {"crash": "crashed", "timeout": "timed out"}  # by the kind of hazard

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Question:
    """What one graded cell asks: its `grade_id`, the task, and whether the `visible` or the `hidden` cases count.

    Where `cases` is `timed`, the time counts, compared with that of `solution`, a cell's text. `function` is what is
    called; "" is the function that the answer names. `task_source` is the text of an instructor's own task, and "" for
    a task of the course.
    """

    name: str
    task: str
    cases: str
    solution: str = ""
    function: str = ""
    task_source: str = ""

    def load_task(self) -> Task:
        """The task. For an instructor's own task no file is read: this may be a worker of a cluster."""
        return Task(self.task, self.task_source, f"{self.task}.py") if self.task_source else load_task(self.task)


Asked = tuple[Answer, tuple[Question, ...]]  # an answer and all its questions


@dataclass(frozen=True)
class Job:
    """One answer and all its questions, as plain data; it is judged once, however many students hand it in.

    `toolchain` builds and runs it, in a sandbox if `sandbox` is True; `version` is the toolchain's version, and "" for
    that of the machine that judges.
    """

    answer: Answer
    questions: tuple[Question, ...]
    toolchain: str
    sandbox: bool = True
    version: str = ""

    def to_json(self) -> dict[str, Any]:
        """This job as an object that `json` can write; `from_json` reads it."""
        return {**asdict(self), "questions": [asdict(question) for question in self.questions]}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Job:
        questions = tuple(Question(**question) for question in data["questions"])
        return cls(Answer(**data["answer"]), questions, data["toolchain"], data["sandbox"], data["version"])

    @functools.cached_property
    def key(self) -> str:
        """A hash of all that decides the judgement, including the judge's own sources.

        Raises ToolchainMissing where this machine lacks the toolchain.
        """
        data = {**self.to_json(), "version": self.version or usable_toolchain(self.toolchain).version()}
        return hashlib.sha256(json.dumps([fingerprint(), data]).encode()).hexdigest()[:32]


@dataclass(frozen=True)
class Judgement:
    """The judgement of one question.

    `reason` is the HTML that the learner gets, and `mistakes` are the kinds of mistakes. `flags` say why the instructor
    should look (`crashed`, `timed out`, NOT_TRACED, JUDGE_FAILED, FASTER_THAN_POSSIBLE, a cluster's LOST). `verdict` is
    the verdict's own JSON, which names hidden inputs and is only for the instructor. `share` is the part of the points
    that a correct answer earns. `unnamed` says that no sentence of the verdict names a mistake.
    """

    correct: bool
    reason: str
    mistakes: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    seconds: float = 0.0
    verdict: Mapping[str, Any] = field(default_factory=dict)
    share: float = 1.0
    unnamed: bool = False

    def to_json(self) -> dict[str, Any]:
        """This judgement as an object that `json` can write; `from_json` reads it."""
        return {**asdict(self), "mistakes": list(self.mistakes), "flags": list(self.flags)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Judgement:
        return cls(**{**data, "mistakes": tuple(data["mistakes"]), "flags": tuple(data["flags"])})


@functools.cache
def fingerprint() -> str:
    """A hash of the judge's sources: after an edit of the course, a task or a hidden case, all is judged again."""
    digest = hashlib.sha256()
    for folder in (HERE, HIDDEN, Path(course.__file__).parent):
        for path in sorted(path for path in folder.rglob("*") if path.suffix in SOURCES):
            digest.update(f"{path.relative_to(folder)} ".encode() + path.read_bytes())
    return digest.hexdigest()


def grading_toolchain() -> str:
    """The toolchain for marks. Raises CourseError for PyTorch's own, whose modules do not show what they call."""
    return usable_toolchain(earning(default_toolchain())).name


def earning(name: str) -> str:
    """`name`, if that toolchain can be used for marks. Raises CourseError for PyTorch's own."""
    if name == "torch":
        raise CourseError("Marks need the toolchain nvcc or emulator: unset COURSE_TOOLCHAIN, which is torch.")
    return name


def at_once(wanted: int = 0) -> int:
    """How many answers may run at once: `wanted`, else one per core; on a GPU only one, since they share its memory."""
    return (wanted or len(os.sched_getaffinity(0))) if default_toolchain() in EMULATED else 1


def judge_job(job: Job) -> dict[str, Judgement]:
    """The judgement of each question, by its name; each question fails alone.

    Raises CourseError where this machine, or a task, can judge no answer. An honest answer is tried to find that out.
    """
    if job.version and job.version != usable_toolchain(job.toolchain).version():
        raise CourseError("A job came from a machine with different compilers or another PyTorch: judge it there.")
    server = sandbox(job.toolchain) if job.sandbox else None
    return {question.name: _judged(job, question, server) for question in job.questions}


def judge_jobs(jobs: Iterable[Job], workers: int) -> Iterator[tuple[Job, dict[str, Judgement]]]:
    """Judge `jobs`, `workers` of them at once; yields each with its judgements as soon as it is done.

    Raises what `judge_job` raises; jobs that have not begun are then left out.
    """
    pool = ThreadPoolExecutor(workers)
    try:
        running = {pool.submit(judge_job, job): job for job in jobs}
        for done in as_completed(running):
            yield running[done], done.result()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _judged(job: Job, question: Question, server: Server | None) -> Judgement:
    start = time.monotonic()
    share, more = 1.0, ()
    try:
        cases = _cases(question)
        timed = question.cases == "timed"
        answer = replace(job.answer, function=question.function or job.answer.function)
        baseline = Answer.of_cell(question.solution, answer.function) if timed else None
        verdict = judge(
            answer,
            question.load_task(),
            cases=cases,
            toolchain=job.toolchain,
            timed=timed,
            baseline=baseline,
            server=server,
        )
        reason = paragraph(hidden_summary(verdict)) if cases else verdict.html()
        if timed and verdict.correct:
            race = _race(verdict, question)
            share, reason = race.share, race.reason() + reason
            more = (FASTER_THAN_POSSIBLE,) * race.impossible
        mistakes, data, unnamed = tuple(_kinds(verdict)), verdict.to_json(), verdict.unnamed
    except Exception:  # what is wrong with an answer is in its verdict, so the judge failed
        _require_an_honest_verdict(question, job.toolchain, server)
        log.exception("The judge failed on an answer to %s, which gets 0 points", question.name)
        reason = paragraph("The judge failed on this answer: tell your instructor, whose log has the error.")
        return Judgement(False, reason, flags=(JUDGE_FAILED,), seconds=time.monotonic() - start)
    flags = tuple(FLAGS[kind] for kind in mistakes if kind in FLAGS) + (NOT_TRACED,) * bool(verdict.untraced)
    return Judgement(verdict.correct, reason, mistakes, flags + more, time.monotonic() - start, data, share, unnamed)


def _require_an_honest_verdict(question: Question, toolchain: str, server: Server | None) -> None:
    """Raise CourseError where no answer to `question` can be judged here, whoever wrote it.

    The task's own Model answers the question, and an honest kernel tries all that building and running a kernel needs.
    """
    source = f"{PROBE.read_text()}// {secrets.token_hex(8)}\n"  # a new text, so that it is built now
    try:
        judge(Answer("model", ""), question.load_task(), cases=_cases(question), toolchain=toolchain, server=server)
        probe = judge(Answer("cuda", source, "add"), "vector_add", toolchain=toolchain, server=server)
    except CourseError:
        raise
    except Exception as error:
        raise CourseError(f"The judge fails on an honest answer too ({type(error).__name__}: {error}).") from error
    if not probe.correct:
        raise CourseError(f"This machine finds an honest answer wrong, so it judges none: {probe.message}")


def _cases(question: Question) -> Sequence[Case] | None:
    """The hidden cases if `question` asks for them, None for the visible ones."""
    return importlib.import_module(f"autograder.hidden.{question.task}").CASES if question.cases == "hidden" else None


def _race(verdict: Verdict, question: Question) -> Race:
    """The times of a right answer and of the solution, with the least time that the GPU needs."""
    if not verdict.timing:
        raise CourseError(
            f"{question.name} marks the time, and no size of {question.task} fits into this GPU's memory."
        )
    bytes_moved = verdict.timing.bytes_moved
    floor = floor_ms(bytes_moved, copy_ms(bytes_moved), this_gpu().l2) if bytes_moved else 0.0
    return Race(verdict.timing.candidate, verdict.timing.baseline, floor)


def _kinds(verdict: Verdict) -> list[str]:
    """The kinds of what is wrong: those of the hazards, then those of the cases."""
    refused = ["does not build"] * (not verdict.compiled)
    of_cases = {case.mistake for case in verdict.failed} - {""}  # "" where the case was not run
    kinds = sorted({hazard.kind for hazard in verdict.hazards}) + sorted(of_cases)
    return list(dict.fromkeys(refused + kinds))


def hidden_summary(verdict: Verdict) -> str:
    """How many hidden cases passed and what kinds of mistakes were seen, in words that reveal no input.

    What the answer printed or raised is left out too: it could contain the inputs.
    """
    if not verdict.cases:
        return "No hidden case was run, since the answer does not build or load. Fix what its visible cases show."
    summary = f"{len(verdict.cases) - len(verdict.failed)} of {len(verdict.cases)} hidden cases passed."
    kinds = [f"{kind} ({HAZARDS[kind]})" if kind in HAZARDS else kind for kind in _kinds(verdict)]
    if kinds:
        summary += f" Kind of mistake: {', '.join(kinds)}. What these cases look at is described in the cell above."
    return summary


def paragraph(text: str) -> str:
    """`text` as HTML."""
    return f"<p>{html.escape(text)}</p>"


class Store:
    """The judgements made so far, with one file per job, so that interrupted grading can continue."""

    def __init__(self, folder: Path):
        self.folder = Path(folder)

    def find(self, job: Job) -> dict[str, Judgement] | None:
        """The judgements of `job`, None where it is not judged yet."""
        try:
            data = json.loads(self._path(job).read_text(encoding="utf-8"))
            return {question.name: Judgement.from_json(data["judgements"][question.name]) for question in job.questions}
        except (OSError, ValueError, KeyError, TypeError):  # an incomplete file, after a power cut, does not count
            return None

    def newest(self) -> dict[Asked, dict[str, Judgement]]:
        """The newest judgements of each answer, whichever machine and whichever version of the course judged."""
        found: dict[Asked, dict[str, Judgement]] = {}
        made: dict[Asked, int] = {}
        for path in self.folder.glob("*.json"):
            with suppress(OSError, ValueError, KeyError, TypeError):  # incomplete, or being written by another grading
                data, time_made = json.loads(path.read_text(encoding="utf-8")), path.stat().st_mtime_ns
                job = Job.from_json(data["job"])
                asked = job.answer, job.questions
                if time_made >= made.get(asked, 0):
                    judgements = data["judgements"].items()
                    found[asked] = {name: Judgement.from_json(judgement) for name, judgement in judgements}
                    made[asked] = time_made
        return found

    def keep(self, job: Job, judgements: Mapping[str, Judgement]) -> None:
        """Keep the judgements of `job`, unless the judge failed: it may succeed next time.

        Raises CourseError where the folder cannot be written.
        """
        if any(JUDGE_FAILED in judgement.flags for judgement in judgements.values()):
            return
        data = {"job": job.to_json(), "judgements": {name: each.to_json() for name, each in judgements.items()}}
        path = self._path(job)
        part = path.with_suffix(f".{os.getpid()}")
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            part.write_text(json.dumps(data), encoding="utf-8")
            part.replace(path)  # whole or not at all
        except OSError as error:
            raise CourseError(
                f"The folder for judgements, {self.folder}, cannot be written ({error.strerror})."
            ) from None

    def drop(self, job: Job) -> None:
        """Forget the judgements of `job`."""
        with suppress(FileNotFoundError):
            self._path(job).unlink()

    def _path(self, job: Job) -> Path:
        return self.folder / f"{job.key}.json"
