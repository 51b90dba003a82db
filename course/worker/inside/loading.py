"""How a worker loads an answer: the build of a cell, Python code, a script, or the record of a script."""

import functools
import linecache
import os
import sys
import types
from collections.abc import Callable, Sequence
from typing import Any

import torch

from course.tasks import Task
from course.tasks.task import other_seed
from course.toolchains.base import Source
from course.worker.inside.engine import Engine
from course.worker.inside.load_inline import WorkerBuilder
from course.worker.messages import decoded
from course.worker.protocol import Answer, AnswerError
from course.worker.recording import ANSWER, Replay


class LoadedAnswers:
    """The answers of a worker by name. For a task and a seed, each one makes the object that is called with the inputs.

    `logged` has the names of the answers whose PyTorch operations are recorded.
    """

    def __init__(self, engine: Engine, builder: WorkerBuilder):
        self.logged: set[str] = set()
        self._engine, self._builder = engine, builder
        self._made: dict[str, Callable[[Task, int], Callable]] = {}
        self._modules: dict[Source, dict[str, Callable]] = {}

    def make(self, name: str, task: Task, seed: int) -> Callable:
        """The object that is called for the answer `name`, with inputs from `seed`."""
        return self._made[name](task, seed)

    def load(self, name: str, answer: Answer, task: Task) -> None:
        """Keep `answer`, which is Python, as `name`."""
        with self._engine.modes():
            if answer.kind == "python":
                value = _executed(answer.source, torch=torch).get(answer.function, _executed)
                if value is _executed:
                    raise AnswerError(f"The cell does not define {answer.function}.")
                if isinstance(value, type) and issubclass(value, torch.nn.Module):
                    self._made[name] = functools.partial(self._model, value)
                else:
                    self._made[name] = lambda task, seed: value if callable(value) else lambda *inputs: value
            elif answer.kind == "model":
                self._made[name] = lambda task, seed: self._model(task.module.Model, task, seed)
            else:
                sys.modules["model"] = task.module
                os.environ["TORCH_COMPILE_DISABLE"] = "1"  # compiled code could not be recorded
                script = _executed(answer.source)
                if not callable(script.get("ModelNew")):
                    raise AnswerError("The script does not define ModelNew, the class that is judged.")
                called = getattr(task.module, "Caller", script["ModelNew"])
                task.model(called, 0, "cuda")  # builds now what __init__ builds, outside of the time of a call
                self._made[name] = lambda task, weights: task.model(called, weights, "cuda")

    def load_function(self, name: str, function: str, module: dict) -> None:
        """Keep a function of `module`, a `%%cuda` cell that the referee has built, as `name`."""
        with self._engine.modes():
            call = self._functions(module)[function]
        self._made[name] = lambda task, seed: call
        self.logged.add(name)

    def load_record(self, name: str, record: dict, constants: bytes, modules: Sequence[dict]) -> None:
        """Keep the record, with its `constants` and the `modules` that it names, as `name`."""
        replay = Replay(record, constants, [self._functions(module) for module in modules])
        self._made[name] = lambda task, seed: replay
        self.logged.add(name)

    def _functions(self, module: dict) -> dict[str, Callable]:
        source = decoded(Source, module["source"])
        if source not in self._modules:
            self._modules[source] = self._builder.load_built(source, module["folder"])
        return self._modules[source]

    def _model(self, kind: type, task: Task, seed: int) -> torch.nn.Module:
        """A model of the class `kind` with the weights of the reference, for inputs from `seed`."""
        return task.model(kind, other_seed(seed, "weights"), "cuda")


def _executed(source: str, **names: Any) -> dict[str, Any]:
    """The names that `source` binds when it runs as a separate module; tracebacks and `inspect` find its lines."""
    linecache.cache[ANSWER] = (len(source), None, source.splitlines(keepends=True), ANSWER)
    module = types.ModuleType("answer")
    module.__dict__.update(names)
    sys.modules["answer"] = module
    exec(compile(source, ANSWER, "exec"), module.__dict__)
    return module.__dict__
