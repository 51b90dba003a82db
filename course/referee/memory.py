"""What an answer does to memory: which cases are traced, the hazards that this shows, and budgets of traffic."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

from course.errors import BuildError, Hazard
from course.referee.cases import failure_sentence, hazards_of, judge_outcome
from course.referee.traffic import HELD, in_global, too_many
from course.referee.trial import Judging, Trial
from course.referee.values import paired_parts
from course.referee.verdict import TOO_MUCH, CaseResult, Verdict
from course.toolchains.base import Source
from course.toolchains.emulator.traffic import Traffic
from course.worker.handle import Worker
from course.worker.protocol import AnswerError, ForeignSymbols, Outcome, TensorInfo, TimedOut, WorkerLost
from course.worker.recording import tensors_in

TRACED_ACCESSES = 500_000  # to memory, about: what the emulator traces in a tenth of a second
TO_HOST_BYTES = 64  # that a wrapper may well look at: some numbers, no tensor
_SHARING = re.compile(r"__shared__|__pipeline_")  # threads hand each other data


class TracingTooSlow(Exception):
    """Tracing an answer takes too much time or memory."""


@dataclass
class MemoryReport:
    """What tracing a right answer has found.

    `results` replace those of cases that the traced call decides, by the number of the case. `traffic` is what the
    kernels requested from memory in the case that `counted` names. `untraced` says why a case could not be traced, and
    `problem` why the answer could no longer be built or run. `numbered` is `Judging.numbered`.
    """

    hazards: list[Hazard] = field(default_factory=list)
    results: dict[int, CaseResult] = field(default_factory=dict)
    traffic: tuple[Traffic, ...] = ()
    counted: str = ""
    untraced: str = ""
    problem: str = ""
    numbered: str = ""


def trace_answer(judging: Judging) -> MemoryReport:
    """Run what `trials_to_trace` chooses once more, with every access to memory looked at, for hazards and traffic.

    So an answer fails whose values were right by luck: a race that ended well, a read past the end that did no harm.
    The emulator does it on a machine with a GPU as well, so that marks are the same on both. If it takes too much time
    or memory, but not again in a smaller case, that is decided in the learner's favour, and the report says so. But a
    case that has a budget of traffic fails if nothing could be counted, and so does an answer that no longer builds or
    runs when it is traced.
    """
    judging.progress("Tracing its accesses to memory")
    report = MemoryReport(numbered=judging.numbered)
    chosen = trials_to_trace(judging.trials)
    if not chosen and any(trial.case.expect == "value" for trial in judging.trials):
        report.untraced = "Every case is too large to be traced."
        return report
    if judging.answer.kind == "python":
        report.untraced = "the answer is Python, and only what a CUDA kernel asks for can be counted."
        chosen, uncounted = [], {trial.number for trial in judging.trials if trial.case.budget}
    else:
        uncounted = {trial.number for trial in chosen if trial.case.budget}
    while chosen and not report.hazards:
        with judging.traced_worker() as worker:
            try:
                worker.load("answer", judging.answer, judging.task)
                while chosen and not report.hazards:
                    trial = chosen.pop(0)
                    _trace_case(worker, trial, report)
                    uncounted.discard(trial.number)
            except TracingTooSlow as error:
                if report.untraced:  # a smaller case as well
                    report.hazards.append(Hazard("timeout", f"When it was traced: {error}"))
                report.untraced = str(error)
            except (BuildError, AnswerError) as error:
                report.problem = f"Built and run once more, to be traced, it failed. {error}"
                return report
            except ForeignSymbols as error:
                report.hazards += hazards_of(error)
            except WorkerLost as error:
                report.hazards.append(Hazard("crash", f"When it was traced: {error}"))
    if report.untraced:
        report.results |= {number: _not_counted(report.untraced) for number in uncounted}
    return report


def _trace_case(worker: Worker, trial: Trial, report: MemoryReport) -> None:
    """Trace one case, into `report`. Raises AnswerError if the call fails, TracingTooSlow if it takes too long."""
    case = trial.case
    counting = bool(case.budget) or not report.counted
    try:
        outcome = worker.run("answer", trial.task, case, trial.seed, counting)
    except WorkerLost as error:
        if isinstance(error, TimedOut) or getattr(error, "signal", "") == "SIGKILL":  # out of memory
            raise TracingTooSlow(str(error)) from error
        raise
    if failure := outcome.failure:
        # What takes too long when it is traced has not taken too long.
        report.hazards += [hazard for hazard in failure.hazards if hazard.kind != "timeout"]
        if not failure.hazards:
            raise AnswerError(failure_sentence(failure))
        if not report.hazards:
            raise TracingTooSlow(failure_sentence(failure))
    elif outcome.to_host > TO_HOST_BYTES:
        text = (
            f"The wrapper had {outcome.to_host:,} bytes copied to the host and looked at there: a kernel should do "
            "what it did with them."
        )
        report.hazards.append(Hazard("library-call", text))
    elif counting and not (outcome.traffic or outcome.uncounted) and _must_write(trial, outcome):
        text = (
            "When the call was traced, no kernel asked global memory for anything, and still it gave a result: the "
            "answer's own kernel must read the inputs and write the output."
        )
        report.hazards.append(Hazard("library-call", text))
    else:
        if not report.counted:
            report.counted, report.traffic = str(replace(case, budget={})), outcome.traffic
        # The values are those of the very call that was looked at: an answer can tell that it is traced.
        result, hazards, _ = judge_outcome(worker, trial, outcome)
        if case.budget:
            result = check_traffic_budget(result, trial, outcome, report.numbered)
        if case.budget or not result.passed:
            report.results[trial.number] = result
        report.hazards += hazards


def _must_write(trial: Trial, outcome: Outcome) -> bool:
    """Whether a kernel has elements to write: an empty sum, say, is zeros without one."""
    inputs = trial.task.inputs(trial.case, trial.seed, "cpu")
    parts = [info for _, info, _ in paired_parts(outcome.result, outcome.result, "") if isinstance(info, TensorInfo)]
    return all(x.numel() for x in tensors_in(inputs)) and any(info.numel for info in parts)


def locate_hazards(judging: Judging, verdict: Verdict, sources: Sequence[Source]) -> list[Hazard]:
    """The hazards of a wrong answer, with their lines where tracing one failed case shows them.

    Where an access was out of bounds and no line is known, it is the largest such case that is traced in a moment.
    Where values are wrong, nothing else is known, and threads hand each other data, it is the smallest, which has all
    that made it wrong. `sources` are what was built. Where that shows nothing, what is known stays.
    """
    if any(hazard.kind == "out-of-bounds" and not hazard.where for hazard in verdict.hazards):
        mistake, place = "out-of-bounds", slice(1)
    elif not verdict.hazards and any(_SHARING.search(source.cuda) for source in sources):
        mistake, place = "wrong result", slice(-1, None)
    else:
        return verdict.hazards
    judging.progress("Looking for the line")
    failed = {number for number, case in enumerate(verdict.cases) if not case.passed and case.mistake == mistake}
    candidates = [trial for trial in trials_to_trace(judging.trials) if trial.number in failed]
    found: list[Hazard] = []
    with judging.traced_worker() as worker, suppress(BuildError, AnswerError, WorkerLost):
        worker.load("answer", judging.answer, judging.task)
        for trial in candidates[place]:
            failure = worker.run("answer", trial.task, trial.case, trial.seed).failure
            hazards = failure.hazards if failure else ()
            found = [each for each in hazards if each.where and mistake in (each.kind, "wrong result")]
    if not found:
        return verdict.hazards
    return found + [each for each in verdict.hazards if each.where or each.kind != mistake]


def check_traffic_budget(result: CaseResult, trial: Trial, outcome: Outcome, numbered: str) -> CaseResult:
    """`result` of a call whose traffic was counted: failed where that is more than the case allows.

    `numbered` is the text whose lines are counted, as in `most_asked`.
    """
    if not result.passed:
        return result
    if outcome.uncounted:
        return _not_counted(outcome.uncounted)
    module = trial.task.module
    for count, budget in trial.case.budget.items():
        requested = in_global(outcome.traffic, count)
        # Each byte of the inputs must be read, and each of the output written, by some thread.
        least = module.bytes_moved() // HELD[count] if hasattr(module, "bytes_moved") else 1
        if requested < least:
            less = (
                f"The kernels ask global memory for {requested:,} {count}, fewer than the {least:,} that the inputs "
                "and the output fill: something else did a part of their work."
            )
            return replace(result, passed=False, seen=less, mistake="work outside of the kernels")
        if more := too_many(outcome.traffic, count, budget, numbered):
            return replace(result, passed=False, seen=more, mistake=TOO_MUCH)
        seen = f"{result.seen} The kernels ask for {requested:,} {count}, of {budget:,} at most."
        result = replace(result, seen=seen)
    return result


def _not_counted(reason: str) -> CaseResult:
    seen = f"What the answer asks of memory could not be counted, which this question is about: {reason}"
    return CaseResult("", False, seen, mistake="not counted")


def trials_to_trace(trials: Sequence[Trial]) -> list[Trial]:
    """The cases that are traced in a moment, and any with a budget of traffic; the largest first.

    Of those without a budget these are the largest that can be traced in a moment, which has more than one block and
    more than one tile, and the smallest ones, which have the edges.
    """
    costs: list[tuple[int, int]] = []  # about the accesses of a case, and its number
    for trial in trials:
        if trial.case.expect == "value":
            operations = getattr(trial.task.module, "operations", None)
            costs.append((trial.task.footprint()[0] // 4 + (operations() if operations else 0), trial.number))
    costs.sort()
    fitting = [each for each in costs if each[0] <= TRACED_ACCESSES]
    fitting = fitting[-1:] + fitting[:-1]
    totals = itertools.accumulate(cost for cost, _ in fitting)
    chosen = {number for total, (_, number) in zip(totals, fitting, strict=True) if total <= TRACED_ACCESSES}
    return [trials[number] for _, number in reversed(costs) if number in chosen or trials[number].case.budget]
