"""One answer and the cases of its task: the calls, their values, and what is said about a call that failed."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from course.errors import CannotJudge, CourseError, Hazard
from course.explain.counts import Lines
from course.explain.from_messages import FAILED_CALLS, meaning
from course.explain.from_source import SourceText
from course.explain.rules import PATTERN, SEEN, Evidence, explain
from course.explain.texts import Found, say
from course.referee.prediction import compare_prediction
from course.referee.values import compare_outcome
from course.referee.verdict import CaseResult, sentence
from course.tasks import Case, Task
from course.toolchains.base import Source
from course.toolchains.guard.symbols import ASSEMBLY
from course.worker.modules import Budget
from course.worker.protocol import Answer, Failure, ForeignSymbols, Outcome, TimedOut, WorkerLost
from course.worker.server import Server
from course.worker.worker import Worker

CALL_SECONDS = 20.0
# AT_DISPATCH raises NotImplementedError, and the `assert` of a script raises AssertionError.
REFUSALS = ("RuntimeError", "NotImplementedError", "AssertionError", "TypeError", "ValueError")


@dataclass(frozen=True)
class Trial:
    """One case of a task. The task has the sizes of the case, and the inputs and weights are drawn from `seed`."""

    task: Task
    case: Case
    seed: int
    number: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "task", self.task.sized(self.case.sizes))

    @property
    def sizes(self) -> str:
        """Every size of the task, as text."""
        return ", ".join(f"{name}={value}" for name, value in self.task.integers.items())

    @property
    def name(self) -> str:
        """The case in words, as a verdict names its inputs."""
        return str(self.case) if self.case.sizes or not self.sizes else f"{self.case}, {self.sizes}"

    def reference(self, inputs: Sequence[Any]) -> Any:
        """The result of the task's Model for `inputs`. Raises CannotJudge if it fails."""
        try:
            return self.task.reference(inputs, self.seed)
        except CourseError:
            raise
        except (Exception, SystemExit) as error:
            text = str(error).partition("\n")[0]
            raise CannotJudge(
                f"The Model of the task {self.task.name} fails by itself: {type(error).__name__}: {text}."
            ) from error


@dataclass(frozen=True)
class Judging:
    """One answer and everything that judging it needs: the task and its cases, the seed, and the server for workers.

    `progress` is called with a line of text before each step. `server` starts the workers; if it is None, this
    process's own server does. Calls that are traced and calls that are not traced have separate budgets of time, so
    that a slow answer can still be traced.
    """

    answer: Answer
    task: Task
    cases: Sequence[Case]
    seed: int
    toolchain: str
    server: Server | None = None
    progress: Callable[[str], object] = lambda line: None
    budget: Budget = field(default_factory=Budget)
    traced_budget: Budget = field(default_factory=Budget)

    @cached_property
    def trials(self) -> tuple[Trial, ...]:
        """The cases in order, each with a seed of its own."""
        return tuple(Trial(self.task, case, self.seed + number, number) for number, case in enumerate(self.cases))

    def lines(self, sources: Sequence[Source]) -> Lines:
        """The text that line numbers refer to, in `sources` that the answer had built.

        If the script has the text of a source unchanged, line numbers refer to the script: see
        `inside/load_inline.py`.
        """
        texts = {source.cuda for source in sources if source.cuda.strip()}
        if self.answer.kind != "candidate" or all(map(self._is_numbered, texts)):
            return Lines(self.answer.source)
        return Lines(texts.pop() if len(texts) == 1 else "", "the CUDA source")

    def _is_numbered(self, text: str) -> bool:
        body = text.lstrip("\n")
        before = self.answer.source.partition(body)
        return bool(before[1]) and before[0].count("\n") == len(text) - len(body)

    def worker(self, call_seconds: float | None = None) -> Worker:
        """A worker with this judging's toolchain. A call may take `call_seconds` (None: CALL_SECONDS)."""
        return Worker(self.toolchain, call_seconds or CALL_SECONDS, self.server, self.budget)

    def traced_worker(self) -> Worker:
        """A worker that traces every access to memory. On every machine, it uses the emulator."""
        return Worker("traced", CALL_SECONDS, self.server, self.traced_budget)


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
    if trial.task.asks_for_a_value:
        return compare_prediction(trial.task, outcome.result, trial.reference([])), hazards, lost
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
    return sentence(text)


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
        cases = ((name, "asm" if name == ASSEMBLY else "call") for name in error.names)
        return [Hazard("library-call", say(Found("foreign_symbol", {"name": n, "case": c}))) for n, c in cases]
    return [Hazard("timeout" if isinstance(error, TimedOut) else "crash", str(error))]
