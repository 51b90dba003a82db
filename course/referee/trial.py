"""The data for one verdict: an answer, everything needed to judge it, and its cases."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from course.errors import CannotJudge, CourseError
from course.referee.traffic import Lines
from course.tasks import Case, Task
from course.toolchains.base import Source
from course.worker.budget import Budget
from course.worker.handle import Worker
from course.worker.protocol import Answer
from course.worker.server import Server

CALL_SECONDS = 20.0


@dataclass(frozen=True)
class Trial:
    """One case of a task, which gets the sizes of that case here; the inputs and weights are drawn from `seed`."""

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
    """One answer and everything needed to judge it: the task and its cases, the seed, and how its workers are started.

    `progress` is called with a line of text before each step, and `server` starts the workers (None: this process's
    own server does). An answer has one budget for the calls that are traced and one for those that are not, so that a
    slow answer can still be traced.
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
        """In which text the lines of `sources` are numbered, what the answer had built.

        A script's source has the numbers of the script's lines if its text is in the script as it is: see
        `worker_load_inline.py`.
        """
        texts = {source.cuda for source in sources}
        if self.answer.kind != "candidate" or all(map(self._is_numbered, texts)):
            return Lines(self.answer.source)
        return Lines(texts.pop() if len(texts) == 1 else "", "the CUDA source")

    def _is_numbered(self, text: str) -> bool:
        body = text.lstrip("\n")
        before = self.answer.source.partition(body)
        return bool(before[1]) and before[0].count("\n") == len(text) - len(body)

    def worker(self, call_seconds: float | None = None) -> Worker:
        """A worker of this judging's toolchain, which gives each call `call_seconds` (None: CALL_SECONDS)."""
        return Worker(self.toolchain, call_seconds or CALL_SECONDS, self.server, self.budget)

    def traced_worker(self) -> Worker:
        """A worker that traces every access to memory, in the emulator on every machine."""
        return Worker("traced", CALL_SECONDS, self.server, self.traced_budget)
