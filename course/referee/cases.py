"""Judges one case: the call, its values, and the sentences for a call that failed or a worker that died."""

from __future__ import annotations

from dataclasses import replace

import torch

from course.errors import CannotJudge, Hazard
from course.referee.diagnose import PATTERN, SEEN, accepted, explained
from course.referee.suspects import late_start, other_shape, suspect
from course.referee.trial import Trial
from course.referee.values import compare_outcome
from course.referee.verdict import CaseResult, capitalized
from course.tasks import Case
from course.worker.protocol import Failure, ForeignSymbols, Outcome, TimedOut, WorkerLost
from course.worker.worker import Worker

REFUSALS = ("RuntimeError", "NotImplementedError", "TypeError", "ValueError")  # AT_DISPATCH raises NotImplementedError


def judge_case(worker: Worker, trial: Trial) -> tuple[CaseResult, list[Hazard], bool]:
    """Call the answer on one case, and judge the outcome with `judge_outcome`. Raises WorkerLost and CannotJudge."""
    return judge_outcome(worker, trial, worker.run("answer", trial.task, trial.case, trial.seed))


def judge_outcome(worker: Worker, trial: Trial, outcome: Outcome) -> tuple[CaseResult, list[Hazard], bool]:
    """The result of a call (without the inputs' name), the hazards, and whether the worker can no longer be used."""
    failure = outcome.failure
    if failure and failure.type == "CannotJudge":
        raise CannotJudge(f"{failure.in_words}.")
    hazards = list(failure.hazards) if failure else []
    if failure and failure.fatal and not hazards:
        hazards.append(Hazard("crash", failure.message))
    if outcome.library_calls:
        calls = ", ".join(outcome.library_calls)
        text = f"PyTorch ({calls}) computed what the answer's own kernel should compute."
        if trial.task.foreign:
            text += (
                " KernelBench would accept this answer. Here your kernels must do all of a task's arithmetic, except "
                "operations that the task file lists in LIBRARY."
            )
        hazards.append(Hazard("library-call", text))
    lost = failure is not None and (failure.fatal or any(h.kind == "timeout" for h in hazards))
    if trial.case.expect == "error":
        if not failure and trial.case.differs_in_dtype:  # the answer may accept more types than asked
            result, more = compare_outcome(worker, trial, outcome)
            if result.passed:
                return result, hazards + more, lost
        return _judge_refusal(outcome, trial.case), hazards, lost
    if failure:
        result = CaseResult("", False, failure_sentence(failure), mistake=_mistake_kind(failure))
        # A launch may have been refused only because the case is empty.
        telling = SEEN if result.mistake == "bad-launch" else PATTERN
        elements = trial.task.footprint()[0] // 4
        if hazards and (clue := _clue(worker, trial, hazards[0], elements)):
            # The clue answers the question at the end of the hazard's sentence.
            seen = f"{result.seen.rpartition('; ')[0]}." if result.seen.endswith("?") else result.seen
            result = replace(result, seen=seen, pattern=clue)
        result = replace(result, telling=telling, elements=elements)
        return result, hazards, lost
    result, more = compare_outcome(worker, trial, outcome)
    return result, hazards + more, lost


def _clue(worker: Worker, trial: Trial, hazard: Hazard, elements: int) -> str:
    """The sentence for code that may have caused a hazard, if the answer has only one source; "" for none."""
    sources = {source.cuda for source in worker.sources}
    if len(sources) != 1:
        return ""
    source = sources.pop()
    if hazard.new_shape is not None:
        expected = trial.reference(trial.task.inputs(trial.case, trial.seed, "cpu"))
        if isinstance(expected, torch.Tensor) and (clue := other_shape(source, hazard.new_shape, expected.shape)):
            return clue
    return suspect(source, elements) or late_start(source)


def _judge_refusal(outcome: Outcome, case: Case) -> CaseResult:
    """The result of a case that the wrapper must refuse."""
    failure = outcome.failure
    if failure is None:
        return CaseResult("", False, accepted(case), mistake="wrong inputs accepted")
    if failure.hazards or failure.fatal or failure.type not in REFUSALS:
        instead = f"The wrapper must refuse these inputs. What happened instead: {failure_sentence(failure)}"
        return CaseResult("", False, instead, mistake=_mistake_kind(failure))
    return CaseResult("", True, f"Refused: {failure.message.splitlines()[0] if failure.message else failure.type}")


def _mistake_kind(failure: Failure) -> str:
    """The kind of mistake that ended a call."""
    return failure.hazards[0].kind if failure.hazards else "crash" if failure.fatal else "error raised"


def failure_sentence(failure: Failure) -> str:
    """What ended a call, as a sentence."""
    text = explained(failure.message if failure.hazards else f"the call raised {failure}")
    return capitalized(text) + "." * (text[-1:] not in ".?!")


def not_run(name: str) -> CaseResult:
    """The result of a case after the one in which the worker was lost."""
    return CaseResult(name, False, "Not run, since an earlier case ended the process.", mistake="")


def worker_lost(error: WorkerLost) -> CaseResult:
    """The result of the case in which the worker was lost."""
    hazard = hazards_of(error)[0]
    return CaseResult("", False, hazard.detail, mistake=hazard.kind)


def hazards_of(error: WorkerLost) -> list[Hazard]:
    """The hazards that `error` shows: the answer hangs, it crashes, or it calls functions that it must not call."""
    if isinstance(error, ForeignSymbols):
        return [_disallowed_symbol(name) for name in error.names]
    return [Hazard("timeout" if isinstance(error, TimedOut) else "crash", str(error))]


def _disallowed_symbol(name: str) -> Hazard:
    return Hazard(
        "library-call",
        f"The answer calls {name}, which no kernel or wrapper of this course needs. Remove this call: it could let "
        "code outside of the module do the kernel's work.",
    )
