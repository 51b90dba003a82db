"""Judges one case: the call, its values, and what is said about a call that failed or a worker that died."""

from __future__ import annotations

from dataclasses import replace

from course.errors import CannotJudge, Hazard
from course.explain.from_messages import FAILED_CALLS, meaning
from course.explain.from_source import SourceText
from course.explain.rules import PATTERN, SEEN, Evidence, explain
from course.explain.texts import Found, say
from course.referee.results import CaseResult, capitalized
from course.referee.trial import Trial
from course.referee.values import compare_outcome
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
    hazards = hazards_of_failure(failure) if failure else []
    if outcome.library_calls:
        case = "foreign" if trial.task.foreign else "course"
        found = Found("library_call", {"calls": ", ".join(outcome.library_calls), "case": case})
        hazards.append(Hazard("library-call", say(found)))
    lost = failure is not None and (failure.fatal or any(h.kind == "timeout" for h in hazards))
    if trial.case.expect == "error":
        if not failure and trial.case.differs_in_dtype:  # the answer may accept more types than asked
            result, more = compare_outcome(worker, trial, outcome)
            if result.passed:
                return result, hazards + more, lost
        return _judge_refusal(outcome, trial.case), hazards, lost
    if failure:
        elements = trial.task.footprint()[0] // 4
        found = _cause(worker, elements) if hazards else None
        result = CaseResult("", False, failure_sentence(failure, bool(found)), found, elements=elements)
        kind = _mistake_kind(failure)
        # A launch may have been refused only because the case is empty.
        telling = SEEN if kind == "bad-launch" else PATTERN
        return replace(result, mistake=kind, telling=telling, reported=tuple(hazards)), hazards, lost
    result, more = compare_outcome(worker, trial, outcome)
    return result, hazards + more, lost


def hazards_of_failure(failure: Failure) -> list[Hazard]:
    """The hazards of a failed call; an end of the process is one."""
    if failure.fatal and not failure.hazards:
        return [Hazard("crash", failure.message)]
    return list(failure.hazards)


def _cause(worker: Worker, elements: int) -> Found | None:
    """The code that may have caused a hazard, if the answer has only one source."""
    sources = {source.cuda for source in worker.sources}
    if len(sources) != 1:
        return None
    return explain(Evidence(text=SourceText.of(sources.pop(), elements)))


def _judge_refusal(outcome: Outcome, case: Case) -> CaseResult:
    """The result of a case that the wrapper must refuse."""
    failure = outcome.failure
    if failure is None:
        accepted = Found("accepted", {"case": case.change.partition(":")[0] or ("dtype" if case.dtype else "layout")})
        return CaseResult("", False, say(accepted), mistake="wrong inputs accepted")
    if failure.hazards or failure.fatal or failure.type not in REFUSALS:
        instead = f"The wrapper must refuse these inputs. What happened instead: {failure_sentence(failure)}"
        return CaseResult(
            "", False, instead, mistake=_mistake_kind(failure), reported=tuple(hazards_of_failure(failure))
        )
    return CaseResult("", True, f"Refused: {failure.message.splitlines()[0] if failure.message else failure.type}")


def _mistake_kind(failure: Failure) -> str:
    """The kind of mistake that ended a call."""
    return failure.hazards[0].kind if failure.hazards else "crash" if failure.fatal else "error raised"


def failure_sentence(failure: Failure, explained: bool = False) -> str:
    """What ended a call, as a sentence; without the questions at the end of hazards if they are `explained`."""
    text = failure.message if failure.hazards else f"the call raised {failure}"
    if explained and any(hazard.seen for hazard in failure.hazards):
        text = "\n".join(f"{hazard.kind}: {hazard.seen or hazard.detail}" for hazard in failure.hazards)
    if not any(hazard.id for hazard in failure.hazards):  # else the emulator has explained it
        text = with_meaning(text, f"{failure.type}: {failure.message}")
    text = capitalized(text)
    return text if text[-1:] in ".?!" else f"{text}."


def with_meaning(text: str, message: str) -> str:
    """`text`, followed by the most frequent cause of the error `message`, if it is known."""
    found = meaning(FAILED_CALLS, message)
    return f"{text.rstrip('.')}: {say(found)}" if found else text


def not_run(name: str) -> CaseResult:
    """The result of a case after the one in which the worker was lost."""
    return CaseResult(name, False, "Not run, since an earlier case ended the process.", mistake="")


def worker_lost(error: WorkerLost) -> CaseResult:
    """The result of the case in which the worker was lost."""
    hazards = hazards_of(error)
    return CaseResult("", False, hazards[0].detail, mistake=hazards[0].kind, reported=tuple(hazards[:1]))


def hazards_of(error: WorkerLost) -> list[Hazard]:
    """The hazards that `error` shows: the answer hangs, it crashes, or it calls functions that it must not call."""
    if isinstance(error, ForeignSymbols):
        return [Hazard("library-call", say(Found("foreign_symbol", {"name": name}))) for name in error.names]
    return [Hazard("timeout" if isinstance(error, TimedOut) else "crash", str(error))]
