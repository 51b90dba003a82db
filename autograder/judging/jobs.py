"""A job is one answer to one question. This module judges jobs, and stores the judgements in a folder."""

import functools
import hashlib
import json
import logging
import os
import runpy
import secrets
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from autograder.files import write_whole
from autograder.judging.processes import LIVES, MANY, Processes
from autograder.judging.sandbox import sandbox
from autograder.judging.sources import judge_sources, text_and_imports
from autograder.judging.timed import FASTER_THAN_POSSIBLE, Race, floor_ms
from autograder.progress import Progress
from course.build import default_toolchain, usable_toolchain
from course.device import EMULATED, this_gpu
from course.errors import HAZARDS, CannotJudge, CourseError
from course.html import paragraph
from course.measure import copy_ms
from course.referee.judge import judge
from course.referee.verdict import Verdict
from course.tasks import HIDDEN, Case, Task, load_task, task_text
from course.worker.protocol import Answer
from course.worker.server import Server

PROBE = Path(__file__).parent / "probe.cu"
JUDGE_FAILED = "judge failed"
NOT_TRACED = "not traced"
NOT_JUDGED = "could not be judged: mark it by hand"
FLAGS = {"crash": "crashed", "timeout": "timed out"}  # by the kind of hazard

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Question:
    """The question of one graded cell: its `grade_id`, the task, and whether `visible` or `hidden` cases are used.

    If `cases` is `timed`, the answer's time is marked, in comparison with the time of `solution`, the text of a cell.
    `task_source` is the text of an instructor's own task, and "" for a task of the course.
    """

    name: str
    task: str
    cases: str
    solution: str = ""
    task_source: str = ""

    def load_task(self) -> Task:
        """The task. An instructor's own task is not read from a file, which a worker of a cluster does not have."""
        return Task(self.task, self.task_source, f"{self.task}.py") if self.task_source else load_task(self.task)

    @property
    def sources(self) -> str:
        """A hash of the task and of its hidden cases, with what their texts import."""
        texts = [self.load_task().source]
        if self.cases == "hidden":
            texts.append(task_text(HIDDEN / f"{self.task}.py"))
        return " ".join(map(text_and_imports, texts))


Asked = tuple[Answer, Question]


@dataclass(frozen=True)
class Job:
    """One answer to one question, as plain data. If several students hand in the answer, it is judged once.

    `toolchain` builds and runs the answer, in a sandbox if `sandbox` is True. `version` is the toolchain's version; ""
    means the version on the machine that judges.
    """

    answer: Answer
    question: Question
    toolchain: str
    sandbox: bool = True
    version: str = ""

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "Job":
        """The job that `json.dumps(asdict(job))` has written."""
        return cls(**{**data, "answer": Answer(**data["answer"]), "question": Question(**data["question"])})

    @functools.cached_property
    def key(self) -> str:
        """A hash of everything that affects the judgement: this job, the judge's sources, and those of the question.

        Raises ToolchainMissing if this machine lacks the toolchain.
        """
        data = {**asdict(self), "version": self.version or usable_toolchain(self.toolchain).version()}
        return hashlib.sha256(json.dumps([fingerprint(self.question), data]).encode()).hexdigest()[:32]


@dataclass(frozen=True)
class Judgement:
    """The judgement of a job.

    `reason` is the HTML that the learner gets, and `mistakes` are the kinds of mistakes. `flags` say why the instructor
    should look at the answer (`crashed`, `timed out`, NOT_TRACED, NOT_JUDGED, JUDGE_FAILED, or
    FASTER_THAN_POSSIBLE). `verdict` is the verdict's JSON. It names hidden inputs, and only the instructor may see it.
    `share` is the part of the points that a correct answer earns. `unnamed` is True if no sentence of the verdict names
    the mistake.
    """

    correct: bool
    reason: str
    mistakes: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    verdict: Mapping[str, Any] = field(default_factory=dict)
    share: float = 1.0
    unnamed: bool = False

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "Judgement":
        """The judgement that `json.dumps(asdict(judgement))` has written."""
        return cls(**{**data, "mistakes": tuple(data["mistakes"]), "flags": tuple(data["flags"])})


Judged = Iterator[tuple[Job, Judgement]]


def fingerprint(question: Question | None = None) -> str:
    """A hash of the judge's sources and of those of `question`. After an edit of these, an answer is judged anew."""
    return hashlib.sha256(f"{judge_sources()} {question.sources if question else ''}".encode()).hexdigest()


def judge_job(job: Job) -> Judgement:
    """The judgement of a job.

    Raises CourseError if this machine can judge no answer to a task. To find out, it judges an honest answer.
    """
    if job.version and job.version != usable_toolchain(job.toolchain).version():
        raise CourseError(
            "A job came from a machine with different compilers or another PyTorch: judge it on that machine."
        )
    question, server = job.question, sandbox(job.toolchain) if job.sandbox else None
    share, more = 1.0, ()
    try:
        cases = _cases(question)
        timed = question.cases == "timed"
        baseline = Answer.of_cell(question.solution, job.answer.function) if timed else None
        verdict = judge(
            job.answer,
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
    except Exception as error:  # mistakes in the answer are in the verdict, and raise nothing
        _require_an_honest_verdict(question, job.toolchain, server)
        if isinstance(error, CannotJudge):
            reason = "The hidden cases could not be judged." if question.cases == "hidden" else str(error)
            reason = f"{reason} Your instructor will mark this answer."
            return Judgement(False, paragraph(reason), flags=(NOT_JUDGED,))
        log.exception("The judge failed on an answer to %s, which gets 0 points", question.name)
        reason = paragraph("The judge failed on this answer: tell your instructor. The instructor's log has the error.")
        return Judgement(False, reason, flags=(JUDGE_FAILED,))
    flags = tuple(FLAGS[kind] for kind in mistakes if kind in FLAGS) + (NOT_TRACED,) * bool(verdict.untraced)
    return Judgement(verdict.correct, reason, mistakes, flags + more, data, share, unnamed)


def judge_jobs(jobs: Iterable[Job], workers: int = 0) -> Judged:
    """Judge `jobs`, `workers` at once (0: one per core); yields each job as soon as it is judged.

    Many jobs are judged by processes, and few by threads of this one. On a GPU only one answer runs, since all answers
    would share the GPU's memory. Raises what `judge_job` raises. Jobs that have not begun are then not judged.
    """
    jobs = list(jobs)
    at_once = (workers or len(os.sched_getaffinity(0))) if default_toolchain() in EMULATED else 1
    pool = (Processes if 1 < at_once <= len(jobs) / MANY else ThreadPoolExecutor)(at_once)
    try:
        running = {pool.submit(judge_job, job): job for job in jobs}
        for done in as_completed(running):
            job = running[done]
            try:
                yield job, done.result()
            except BrokenProcessPool:
                yield job, lost(LIVES)
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def lost(times: int) -> Judgement:
    """The judgement of a job whose process was lost `times` times. It is not kept."""
    reason = f"The judge's process was lost {times} times while it judged this answer: tell your instructor."
    return Judgement(False, paragraph(reason), flags=(JUDGE_FAILED,))


def timed_out(judgement: Judgement) -> bool:
    """Whether the answer with this judgement timed out."""
    return FLAGS["timeout"] in judgement.flags


def judge_late_alone(
    judge_all: Callable[[Iterable[Job]], Judged],
    jobs: Iterable[Job],
    solutions: Callable[[], Mapping[Question, Job]] = dict,
) -> Judged:
    """Judge `jobs` with `judge_all`, and those that time out once more, each while nothing else is judged.

    Yields each job with its judgement. `solutions` returns the jobs of the instructor's own answers, by their
    questions. Raises CourseError if such an answer times out too, since then the machine is too slow.
    """
    late = []
    for job, judgement in judge_all(jobs):
        if timed_out(judgement):
            late.append(job)
        else:
            yield job, judgement
    in_time: set[Job] = set()
    for job in late:
        judgement = dict(judge_all([job]))[job]
        own = solutions().get(job.question) if timed_out(judgement) else None
        if own and own not in in_time:
            if own == job or timed_out(dict(judge_all([own]))[own]):
                raise CourseError(
                    f"The instructor's own solution of {job.question.name} timed out too, while nothing else was "
                    "judged: the solution is wrong, or this machine is too busy or too slow. Answers that timed out "
                    "got no mark."
                )
            in_time.add(own)
        yield job, judgement


def _require_an_honest_verdict(question: Question, toolchain: str, server: Server | None) -> None:
    """Raise CourseError if no answer to `question` can be judged on this machine.

    To find out, this function judges the task's own Model as an answer to the question. It also builds, runs and judges
    an honest kernel.
    """
    source = f"{PROBE.read_text()}// {secrets.token_hex(8)}\n"  # a text that no build cache has
    try:
        judge(Answer("model", ""), question.load_task(), cases=_cases(question), toolchain=toolchain, server=server)
        probe = judge(Answer("cuda", source, "add"), "vector_add", toolchain=toolchain, server=server)
    except CourseError:
        raise
    except Exception as error:
        raise CourseError(f"The judge fails on an honest answer too ({type(error).__name__}: {error}).") from error
    # A timeout says nothing about the other answers: another process may have slowed the probe down.
    if not probe.correct and not any(hazard.kind == "timeout" for hazard in probe.hazards):
        raise CourseError(f"This machine cannot judge, since it finds an honest answer wrong: {probe.message}")


def _cases(question: Question) -> Sequence[Case] | None:
    """The hidden cases if `question` asks for them, or None for the visible cases."""
    return hidden_cases(question.task) if question.cases == "hidden" else None


def hidden_cases(task: str) -> Sequence[Case]:
    """The hidden cases of a task, as the file has them now."""
    return runpy.run_path(str(HIDDEN / f"{task}.py"))["CASES"]


def _race(verdict: Verdict, question: Question) -> Race:
    """The times of a correct answer and of the solution, with the least time that the GPU needs."""
    if not verdict.timing:
        raise CourseError(
            f"Graded cell {question.name} marks the time, but no size of {question.task} fits into this GPU's memory."
        )
    bytes_moved = verdict.timing.bytes_moved
    floor = floor_ms(bytes_moved, copy_ms(bytes_moved), this_gpu().l2) if bytes_moved else 0.0
    return Race(verdict.timing.candidate, verdict.timing.baseline, floor)


def _kinds(verdict: Verdict) -> list[str]:
    """The kinds of mistakes that a verdict names: first the kinds of hazards, then the mistakes of the cases."""
    refused = ["does not build"] * (not verdict.compiled)
    of_cases = {case.mistake for case in verdict.failed} - {""}  # "" means that the case was not run
    kinds = sorted({hazard.kind for hazard in verdict.hazards}) + sorted(of_cases)
    return list(dict.fromkeys(refused + kinds))


def hidden_summary(verdict: Verdict) -> str:
    """How many hidden cases passed, and which kinds of mistakes were found, in words that reveal no input.

    The output of the answer and its errors are left out too, since they could contain the inputs.
    """
    if not verdict.cases:
        return (
            "No hidden case was run, since the answer does not build or load. First fix the errors that the visible "
            "cases show."
        )
    summary = f"{len(verdict.cases) - len(verdict.failed)} of {len(verdict.cases)} hidden cases passed."
    kinds = [f"{kind} ({HAZARDS[kind]})" if kind in HAZARDS else kind for kind in _kinds(verdict)]
    if kinds:
        summary += f" Kind of mistake: {', '.join(kinds)}. The cell above describes what the hidden cases check."
    return summary


class Store:
    """The judgements so far, with one file per job. With the store, grading can continue after an interruption."""

    def __init__(self, folder: Path):
        self.folder = Path(folder)

    def find(self, job: Job) -> Judgement | None:
        """The judgement of `job`, or None if the job is not judged yet."""
        try:
            return Judgement.from_json(json.loads(self._path(job).read_text(encoding="utf-8"))["judgement"])
        except (OSError, ValueError, KeyError, TypeError):  # after a power cut, the file may be incomplete
            return None

    def missing(self, jobs: Iterable[Job]) -> list[Job]:
        """The jobs that are not judged yet, each once."""
        return [job for job in dict.fromkeys(jobs) if self.find(job) is None]

    def judged(
        self,
        jobs: Iterable[Job],
        judge_all: Callable[[Iterable[Job]], Judged] = judge_jobs,
        solutions: Callable[[], Mapping[Question, Job]] = dict,
    ) -> dict[Job, Judgement]:
        """The judgements of all `jobs`. Missing ones are made as `judge_late_alone` does, and stored.

        All hidden cases are judged last. What an answer prints is then not shown, so no answer can tell a student what
        it has learned of another answer's hidden cases.
        """
        found = {job: there for job in dict.fromkeys(jobs) if (there := self.find(job))}
        missing = [job for job in dict.fromkeys(jobs) if job not in found]
        with Progress("judged", len(missing)) as progress:
            for hidden in (False, True):
                stage = [job for job in missing if (job.question.cases == "hidden") == hidden]
                stage.sort(key=lambda job: job.question.name)  # so that no two processes build an answer at once
                for job, judgement in judge_late_alone(judge_all, stage, solutions):
                    self.keep(job, judgement)  # so that an interruption costs little
                    found[job] = judgement
                    progress.step()
        return found

    def newest(self) -> dict[Asked, Judgement]:
        """The newest judgement of each answer. Any machine, with any version of the course, may have made it."""
        return {asked: judgement for asked, (_, judgement) in self._newest().items()}

    def prune(self, asked: Collection[Asked]) -> int:
        """Delete all judgements but the newest of each answer in `asked`, and return the number of deleted files."""
        needed = {path for each, (path, _) in self._newest().items() if each in asked}
        others = [path for path in self.folder.glob("*.json") if path not in needed]
        for path in others:
            path.unlink(missing_ok=True)
        return len(others)

    def _newest(self) -> dict[Asked, tuple[Path, Judgement]]:
        """For each answer the file with its newest judgement, and the judgement."""
        found: dict[Asked, tuple[Path, Judgement]] = {}
        for path in sorted(self.folder.glob("*.json"), key=lambda path: path.stat().st_mtime_ns):
            with suppress(OSError, ValueError, KeyError, TypeError):  # the file is incomplete, or is being written
                data = json.loads(path.read_text(encoding="utf-8"))
                job = Job.from_json(data["job"])
                found[job.answer, job.question] = path, Judgement.from_json(data["judgement"])
        return found

    def keep(self, job: Job, judgement: Judgement) -> None:
        """Store the judgement of `job`, unless the judge failed. It may succeed the next time.

        Raises CourseError if the file cannot be written.
        """
        if JUDGE_FAILED not in judgement.flags:
            write_whole(self._path(job), json.dumps({"job": asdict(job), "judgement": asdict(judgement)}))

    def drop(self, job: Job) -> None:
        """Delete the stored judgement of `job`."""
        self._path(job).unlink(missing_ok=True)

    def _path(self, job: Job) -> Path:
        return self.folder / f"{job.key}.json"
