"""Times a right answer beside a baseline, by the referee's own clock."""

from __future__ import annotations

import functools
import math
import random
import time
from collections.abc import Callable
from dataclasses import replace

import torch

from course.device import free_memory
from course.errors import BuildError, CannotJudge, Hazard
from course.referee.cases import judge_outcome
from course.referee.trial import Judging, Trial
from course.referee.verdict import CaseResult, Timing
from course.tasks import Case, Task
from course.worker.handle import Worker
from course.worker.protocol import Answer, AnswerError, Failure, RefereeFailed, WorkerLost

TIMED_SECONDS = 0.1  # of one of the repetitions that are timed
TIMED_ROUNDS = 5
TIMED_CALL_SECONDS = 60.0
_SHUFFLED = random.SystemRandom()

Samples = list[list[float]]  # milliseconds of one call, round for round, for each clock


class BaselineFailed(Exception):
    """The baseline failed while it was timed beside an answer."""


def time_answer(judging: Judging, baseline: Answer) -> tuple[CaseResult, list[Hazard], Timing | None] | None:
    """Time the answer beside `baseline` at the largest size that fits, where its values are checked too.

    The result and the hazards there, and the times of an answer that is right; None where no size fits. The clock is
    this process's own, and answer and baseline, each in a worker of its own, take turns. The time of a call is that of
    2 R calls less that of R, over R: what a request costs cancels out. Raises CannotJudge where the baseline fails
    alone, RefereeFailed where it fails twice beside the answer.
    """
    task = judging.task
    trials = ((name, Trial(task, Case(sizes), judging.seed)) for name, sizes in task.named_sizes)
    fitting = next(((name, trial) for name, trial in trials if _fits(trial.task)), None)
    if fitting is None:
        return None
    name, trial = fitting
    judging.progress(f"Timing with {trial.sizes}")
    for _ in range(2):
        try:
            result, hazards, samples = _run_in_turns(judging, baseline, trial)
            break
        except BaselineFailed as error:
            failed = error
    else:
        raise RefereeFailed(f"The baseline of the answer failed twice: {failed}") from failed
    timing = None
    if result.passed and not hazards:
        candidate, other = samples
        beside = "the reference" if baseline.kind == "model" else "the solution"
        moves = getattr(trial.task.module, "bytes_moved", None)
        timing = Timing(trial.sizes, candidate, other, beside, moves() if moves else 0)
    return replace(result, inputs=f"{name}: {trial.sizes}"), hazards, timing


def _run_in_turns(judging: Judging, baseline: Answer, trial: Trial) -> tuple[CaseResult, list[Hazard], Samples]:
    """Run the answer once, then time it beside `baseline`: its result, the hazards, and the samples of both.

    Raises CannotJudge where the baseline fails alone, BaselineFailed where it fails beside the answer.
    """
    samples: Samples = []
    with judging.worker(TIMED_CALL_SECONDS) as worker, Worker(judging.toolchain, TIMED_CALL_SECONDS) as other:
        _start_baseline(judging, other, baseline, trial)
        try:
            worker.load("answer", judging.answer, judging.task)
            outcome = worker.run("answer", trial.task, trial.case, trial.seed)
            result, hazards, _ = judge_outcome(worker, trial, outcome)
            torch.cuda.empty_cache()  # the workers are other processes, which cannot use memory cached here
            if result.passed and not hazards:
                samples = _samples(functools.partial(_clock, worker), functools.partial(_baseline_clock, other))
                # The last timed call must have done the work as well.
                result, hazards, _ = judge_outcome(worker, trial, outcome)
                torch.cuda.empty_cache()
            return result, hazards, samples
        except (BuildError, AnswerError, WorkerLost) as error:
            return CaseResult("", False, str(error)), [], samples


def _start_baseline(judging: Judging, worker: Worker, baseline: Answer, trial: Trial) -> None:
    """Run the baseline once. Raises CannotJudge if it fails, since the answer is then not at fault."""
    failure: Failure | Exception | None
    try:
        worker.load("answer", baseline, judging.task)
        failure = worker.run("answer", trial.task, trial.case, trial.seed).failure
    except (BuildError, AnswerError, WorkerLost) as error:
        failure = error
    if failure:
        raise CannotJudge(f"The baseline for the answers to {judging.task.name} fails by itself: {failure}.")


def _fits(task: Task) -> bool:
    # The worker that holds the reference's tensors and the student's are alive together; half of one is to spare.
    return 2.5 * task.footprint()[0] < free_memory("cuda")


def _samples(*clocks: Callable[[int], float]) -> Samples:
    """Milliseconds of one call by each of the clocks, which time as many calls as they are asked to."""
    counts = []
    for clock in clocks:
        clock(3)
        counts.append(max(1, min(200, math.ceil(TIMED_SECONDS / max(clock(1), 1e-6)))))
    samples: Samples = [[] for _ in clocks]
    for _ in range(TIMED_ROUNDS):
        for clock, count, of_clock in zip(clocks, counts, samples, strict=True):
            # In an order that no answer can know, which could be slow in one and quick in the other.
            seconds = {each: clock(each) for each in _SHUFFLED.sample((count, 2 * count), 2)}
            of_clock.append(max((seconds[2 * count] - seconds[count]) / count * 1e3, 1e-6))
    return samples


def _clock(worker: Worker, count: int) -> float:
    """Seconds that `count` calls of the worker's answer take."""
    start = time.perf_counter()
    worker.repeat("answer", count)
    return time.perf_counter() - start


def _baseline_clock(worker: Worker, count: int) -> float:
    try:
        return _clock(worker, count)
    except (AnswerError, WorkerLost) as error:
        raise BaselineFailed(str(error)) from error
