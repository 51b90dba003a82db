"""Times a right answer and a baseline in turns, by the referee's own clock."""

import functools
import math
import random
import time
from collections.abc import Callable
from dataclasses import replace

import torch

from course.device import free_memory
from course.errors import BuildError, CannotJudge, Hazard
from course.referee.trial import Judging, Trial, judge_outcome
from course.referee.verdict import CaseResult, Timing
from course.tasks import Case, Task
from course.worker.protocol import Answer, AnswerError, Failure, RefereeFailed, WorkerLost
from course.worker.worker import Worker

TIMED_SECONDS = 0.1  # how long one repetition takes
TIMED_ROUNDS = 5
TIMED_CALL_SECONDS = 60.0
_SHUFFLED = random.SystemRandom()

Samples = list[list[float]]  # for each clock, the milliseconds of one call in each round


def time_answer(judging: Judging, baseline: Answer) -> tuple[CaseResult, list[Hazard], Timing | None] | None:
    """Time the answer beside `baseline` at the largest size that fits, and check the answer's values at this size.

    Returns the result and the hazards at this size, and the times if the answer is right; returns None if no size fits.
    The clock is this process's own. The answer and the baseline run in turns, each in its own worker. To time a call,
    the time of R calls is subtracted from the time of 2 R calls, and the difference is divided by R: the cost of a
    request to the worker cancels out. Raises CannotJudge if the baseline fails alone, and RefereeFailed if it fails
    beside the answer.
    """
    task = judging.task
    trials = ((name, Trial(task, Case(sizes), judging.seed)) for name, sizes in task.named_sizes)
    fitting = next(((name, trial) for name, trial in trials if _fits(trial.task)), None)
    if fitting is None:
        return None
    name, trial = fitting
    judging.progress(f"Timing with {trial.sizes}")
    result, hazards, samples = _run_in_turns(judging, baseline, trial)
    timing = None
    if result.passed and not hazards:
        candidate, other = samples
        beside = "the reference" if baseline.kind == "model" else "the solution"
        moves = getattr(trial.task.module, "bytes_moved", None)
        timing = Timing(trial.sizes, candidate, other, beside, moves() if moves else 0)
    return replace(result, inputs=f"{name}: {trial.sizes}"), hazards, timing


def _run_in_turns(judging: Judging, baseline: Answer, trial: Trial) -> tuple[CaseResult, list[Hazard], Samples]:
    """Run the answer once, then time it beside `baseline`. Returns its result, the hazards, and the samples of both."""
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
    """Run the baseline once. Raises CannotJudge if it fails, because then the answer is not the cause."""
    failure: Failure | Exception | None
    try:
        worker.load("answer", baseline, judging.task)
        failure = worker.run("answer", trial.task, trial.case, trial.seed).failure
    except (BuildError, AnswerError, WorkerLost) as error:
        failure = error
    if failure:
        raise CannotJudge(f"The baseline for the answers to {judging.task.name} fails by itself: {failure}.")


def _fits(task: Task) -> bool:
    # The worker with the reference's tensors and the worker with the answer's run at the same time. A half is spare.
    return 2.5 * task.footprint()[0] < free_memory("cuda")


def _samples(*clocks: Callable[[int], float]) -> Samples:
    """The milliseconds of one call, by each of the clocks. A clock returns the seconds of a number of calls."""
    counts = []
    for clock in clocks:
        clock(3)
        counts.append(max(1, min(200, math.ceil(TIMED_SECONDS / max(clock(1), 1e-6)))))
    samples: Samples = [[] for _ in clocks]
    for _ in range(TIMED_ROUNDS):
        for clock, count, of_clock in zip(clocks, counts, samples, strict=True):
            # The order is random. An answer that knew the order could be slow in one run and quick in the other.
            seconds = {each: clock(each) for each in _SHUFFLED.sample((count, 2 * count), 2)}
            of_clock.append(max((seconds[2 * count] - seconds[count]) / count * 1e3, 1e-6))
    return samples


def _clock(worker: Worker, count: int) -> float:
    """The seconds that `count` calls of the worker's answer take."""
    start = time.perf_counter()
    worker.repeat("answer", count)
    return time.perf_counter() - start


def _baseline_clock(worker: Worker, count: int) -> float:
    try:
        return _clock(worker, count)
    except (AnswerError, WorkerLost) as error:
        raise RefereeFailed(f"The baseline failed while it was timed beside the answer: {error}") from error
