"""The kernels that are compared, and calls of these kernels: on this machine's GPU, or traced in the emulator."""

from __future__ import annotations

import ast
import contextlib
import hashlib
import json
import os
import re
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any
from unittest import mock

import torch
import torch.utils.cpp_extension  # whose load_inline a worker replaces

from course import build
from course.build import bindable_functions
from course.errors import KernelError
from course.notebook.trace import trace
from course.referee.memory import trials_to_trace
from course.referee.trial import Judging
from course.tasks import Case, Task, load_task
from course.toolchains.base import Source
from course.toolchains.nvcc import Nvcc
from course.worker.inside.runner import Runner
from course.worker.protocol import Answer
from tests.gallery import gallery
from tests.in_process import load_answer

ROOT = Path(__file__).parents[3]
SEED = 20

# The inputs of worked examples that neither `check` nor `compare` names.
INPUTS = {
    "census": "[torch.zeros(2, dtype=torch.int32), 1003, 4]",
    "doubler": "[torch.randn(1003)]",
    "errors": "[torch.randn(100, 100), 2.0]",
    "three_ways": "[torch.randn(1)]",
}
TASK_OF_INPUTS = "import torch\n\n\nclass Model:\n    pass\n\n\ndef get_inputs():\n    return {}\n"
KERNEL = re.compile(r"__global__[^;{}]*?(?:__launch_bounds__\s*\([^()]*\)[^;{}(]*?)?\b(\w+)\s*\(")


@dataclass(frozen=True)
class Subject:
    """One function of a cell or a gallery file, and the task whose cases it is called with."""

    name: str
    answer: Answer
    task: Task

    @property
    def kernels(self) -> list[str]:
        """The names of its kernels, without template arguments."""
        return sorted(set(KERNEL.findall(self.answer.source)))

    @property
    def cases(self) -> list[Case]:
        """The distinct cases that the tracer can trace in a short time, the most costly first."""
        judging = Judging(self.answer, self.task, self.task.cases, SEED, "emulator")
        return list({str(trial.case): trial.case for trial in trials_to_trace(judging.trials)}.values())


def subjects() -> list[Subject]:
    """Every `%%cuda` and `%%candidate` cell of the solutions, function by function, and every file of the gallery."""
    found = [subject for path in sorted(ROOT.glob("solutions/*/*.ipynb")) for subject in of_notebook(path)]
    return found + [Subject(f"gallery/{m.name}", m.answer, load_task(m.task)) for m in gallery()]


def of_notebook(path: Path) -> Iterator[Subject]:
    """The subjects of one notebook. A module's tasks are those that `check` calls it with, else those of `compare`.

    A module that neither names is called with the inputs in INPUTS, else those of the notebook's last comparison.
    """
    cells = [cell for cell in json.loads(path.read_text())["cells"] if cell["cell_type"] == "code"]
    texts = {cell["id"]: "".join(cell["source"]) for cell in cells}
    checked, compared = _tasks_named("\n".join(text for text in texts.values() if not text.startswith("%%")))
    for cell, text in texts.items():
        words = text.partition("\n")[0].split()
        if words[:1] not in (["%%cuda"], ["%%candidate"]):
            continue
        module = words[1]
        names = ["ModelNew"] if words[0] == "%%candidate" else bindable_functions(text)
        for function in names:
            for task in _tasks(module, checked, compared):
                name = f"{path.stem[:2]}/{cell}.{function} ({task.name})"
                yield Subject(name, Answer.of_cell(text, function), task)


def _tasks(module: str, checked: dict[str, list[str]], compared: dict[str, list[str]]) -> list[Task]:
    if module in INPUTS:
        return [Task(f"inputs of {module}", TASK_OF_INPUTS.format(INPUTS[module]), str(Path(__file__)))]
    last = list(compared.values())[-1][-1:]
    names = checked.get(module) or compared.get(module, [])[:1] or last
    return [load_task(name) for name in dict.fromkeys(names)]


def _tasks_named(code: str) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """The tasks with which `check` and `compare` are called, each by the modules that they are called with."""
    checked: dict[str, list[str]] = {}
    compared: dict[str, list[str]] = {}
    tree = ast.parse(re.sub(r"^%.*", "", code, flags=re.MULTILINE))
    bound = {ast.unparse(each.targets[0]): each.value for each in ast.walk(tree) if isinstance(each, ast.Assign)}
    for call in ast.walk(tree):
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
            continue
        if call.func.id == "check":
            checked.setdefault(ast.unparse(call.args[1]).partition(".")[0], []).append(call.args[0].value)
        elif call.func.id == "compare":
            (task,) = (keyword.value.value for keyword in call.keywords if keyword.arg == "task")
            variants = bound.get(ast.unparse(call.args[0]), call.args[0])
            for variant in variants.values:
                compared.setdefault(ast.unparse(variant).partition(".")[0], []).append(task)
    return checked, compared


class WithLines(Nvcc):
    """The toolchain `nvcc`, with a line of the source for each instruction.

    The lines are those of a copy in `folder`, because Nsight Compute gives lines only of files that it finds. The name
    of the copy identifies the cell.
    """

    def __init__(self, folder: Path, architecture: str | None = None):
        super().__init__(architecture)
        self.folder = folder

    def version(self) -> str:
        return f"{super().version()} lines of {self.folder}"

    def build(self, source: Source, folder: Path) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        copy = self.folder / f"{named(source.cuda)}.cu"
        copy.write_text(source.cuda)
        flags = (*source.cuda_cflags, "-lineinfo")
        super().build(replace(source, cuda=f'#line 1 "{copy}"\n{source.cuda}', cuda_cflags=flags), folder)


def named(cuda: str) -> str:
    """The name of a source, derived from its text."""
    return hashlib.sha256(cuda.encode()).hexdigest()[:16]


@contextlib.contextmanager
def as_worker(toolchain: str) -> Iterator[None]:
    """Lets this process act as a worker while the context lasts: `Calls` are created and called in it."""
    with mock.patch.dict(os.environ, COURSE_TOOLCHAIN=toolchain):
        yield


class Calls(Runner):
    """What a worker does, in this process: builds a subject and calls it on the inputs of a case."""

    def __init__(self, toolchain: str, subject: Subject):
        """Raises what the build raises."""
        super().__init__(toolchain)
        load = self.builder.load
        self.builder.load = lambda toolchain, source, folder: {
            name: self._loaded(build.Function(name, call, source, toolchain.name))
            for name, call in load(toolchain, source, folder).items()
        }
        task = subject.task
        self.task = {"name": task.name, "source": task.source, "path": task.path, "sizes": task.sizes}
        with self.builder.installed():
            load_answer(self, "subject", subject.answer, self.task)

    def _loaded(self, function: build.Function) -> Callable:
        return function

    def __call__(self, case: Case) -> None:
        """Raises what the function raises, and KernelError for what the device reports."""
        task = self.prepare(self.task, case.to_json(), SEED)
        with self.engine.modes(), torch.no_grad():
            self.answers.make("subject", task, SEED)(*self.inputs)
        self.engine.synchronize()


class TracedCalls(Calls):
    """Calls in the emulator, in which every function of a module it built is traced first."""

    def __init__(self, subject: Subject):
        self.sources: dict[str, str] = {}
        self.traces: list = []
        super().__init__("traced", subject)  # "traced", so that only what `trace` runs is built

    def _loaded(self, function: build.Function) -> Callable:
        def call(*arguments: Any) -> Any:
            self._trace(function, arguments)
            return function(*arguments)

        return call

    def _trace(self, function: build.Function, arguments: tuple) -> None:
        source = named(function.source)
        self.sources[source] = function.source
        with torch._C.DisableTorchFunction():  # under a worker's modes, every tensor claims to be on a GPU
            self.traces.append((source, trace(function, *arguments)))

    def __call__(self, case: Case) -> dict[str, Any]:
        """What was seen, as plain data: kinds and sentences of hazards, and rows of traffic with the names of their
        sources.

        `whole` says that the traffic is that of the whole call: nothing ended a kernel, and no block was left out.
        """
        self.traces.clear()
        failed = False
        try:
            super().__call__(case)
        except KernelError as error:  # if the host finds missing elements, the device ran to the end
            failed = {hazard.kind for hazard in error.hazards} != {"unwritten-output"}
        except Exception:  # a file of the gallery may have any mistake
            failed = True
        kinds = {hazard.kind for _, seen in self.traces for hazard in seen.hazards}
        sampled = any(seen.sampled for _, seen in self.traces)
        return {
            "hazards": [[h.kind, h.detail] for _, seen in self.traces for h in seen.hazards],
            "remarks": [remark for _, seen in self.traces for remark in seen.remarks],
            "traffic": [{"source": source, **asdict(row)} for source, seen in self.traces for row in seen.traffic],
            "whole": not failed and not sampled and kinds <= {"unwritten-output"},
        }


def traced(subject: Subject, cases: list[Case]) -> dict[str, Any]:
    """Every case of `subject`, traced: `{"problem": "" or why not, "sources": {name: text}, "cases": [...]}`."""
    with as_worker("traced"):
        try:
            calls = TracedCalls(subject)
        except Exception as error:  # a file of the gallery may have any mistake
            return {"problem": f"{type(error).__name__}: {error}".splitlines()[0], "sources": {}, "cases": []}
        return {"problem": "", "cases": [calls(case) for case in cases], "sources": calls.sources}


def to_json(subject: Subject) -> dict[str, Any]:
    """`subject` as an object that `json` can write; `from_json` reads it."""
    task = subject.task
    return {
        "name": subject.name,
        "answer": asdict(subject.answer),
        "task": {"name": task.name, "source": task.source, "path": Path(task.path).name},
    }


def from_json(data: dict[str, Any]) -> Subject:
    return Subject(data["name"], Answer(**data["answer"]), Task(**data["task"]))
