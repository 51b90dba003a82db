"""The data for one verdict: an answer, the cases of its task, and everything else that judging needs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from course.errors import CannotJudge, CourseError
from course.explain.costs import Lines
from course.tasks import Case, Task
from course.toolchains.base import Source
from course.worker.modules import Budget
from course.worker.protocol import Answer
from course.worker.server import Server
from course.worker.worker import Worker

CALL_SECONDS = 20.0


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
