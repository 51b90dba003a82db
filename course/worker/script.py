"""The referee's end of a candidate's Python, which runs in a separate process; a worker gets a record of it."""

from __future__ import annotations

from typing import Any

from course.errors import BuildError, NotEmulated
from course.tasks import Case, Task
from course.tasks.task import other_seed
from course.toolchains.base import Source
from course.worker.budget import Budget
from course.worker.message_fields import decoded, printable
from course.worker.protocol import (
    RECORD_BOUND,
    Failure,
    Outcome,
    failure_from_json,
    task_to_json,
)
from course.worker.recording import CONSTANTS_BOUND, NotRun, checked, tensors_in
from course.worker.server import Server
from course.worker.session import Session


class Script:
    """A candidate whose calls `worker` replays. It has a `session` of its own, whose process `server` forks too."""

    def __init__(self, server: Server, worker: Session, budget: Budget):
        # The replay of the record is traced, so the script itself need not be, and its modules are already built.
        toolchain = "emulator" if worker.toolchain == "traced" else worker.toolchain
        self.session = Session(server, toolchain, budget)
        if toolchain == worker.toolchain:
            worker.modules.share(self.session.modules)
        self._worker, self._budget = worker, budget

    def record(self, name: str, task: Task, case: Case, seed: int, timeout: float) -> Outcome | None:
        """Let the worker keep, as `name`, what the script does with inputs like those of `case`; or say why it cannot.

        Inputs that are not tensors are the case's own.
        """
        inputs = task.inputs(case, seed, self._worker.device)
        count, given = len(tensors_in(inputs)), [None if tensors_in(x) else x for x in inputs]
        del inputs
        weights = task.sized(case.sizes).weight_bytes()
        bound = CONSTANTS_BOUND + weights
        request: dict[str, Any] = {"do": "record", "name": name, "task": task_to_json(task), "case": case.to_json()}
        request |= {"given": given, "constants_bound": bound}
        seeds = {"seed": other_seed(seed, "script"), "weights": other_seed(seed, "weights")}
        reply, constants = self.session.ask({**request, **seeds}, timeout, bounds=(RECORD_BOUND, bound))
        with self.session.connection.reading():
            if failure := failure_from_json(reply):
                return Outcome(failure=failure)
            try:
                record = checked(reply["record"], count, len(constants))
            except NotRun as error:
                text = f"an answer may not use PyTorch's operation {error}"
                return Outcome(library_calls=(printable(error, 100),), failure=Failure("NotRun", text))
            sources = [decoded(Source, source) for source in record["modules"]]
        self._budget.constants -= max(0, len(constants) - weights)
        if self._budget.constants < 0:
            text = f"the tensors that a script makes may have {Budget.constants >> 20} MiB at most in all calls"
            return Outcome(failure=Failure("CourseError", text))
        try:
            modules = [self._worker.module(source) for source in sources]
        except NotEmulated:
            raise
        except BuildError as error:  # a source that cannot be traced
            return Outcome(failure=Failure("BuildError", str(error)))
        request = {"do": "replay", "name": name, "record": record, "modules": modules}
        failure, _ = self._worker.ask_for_failure(request, timeout, constants)
        return Outcome(failure=failure) if failure else None
