"""A worker without its processes: the answer is built and loaded in the process of the test or benchmark."""

from __future__ import annotations

import json
from dataclasses import asdict

from course.build import cell_source
from course.worker.inside.runner import Runner
from course.worker.protocol import Answer


def load_answer(runner: Runner, name: str, answer: Answer, task: dict) -> None:
    """Have `runner` keep `answer` as `name`. Raises what its build raises."""
    if answer.kind == "cuda":
        source = cell_source(answer.source, answer.cuda_cflags)
        folder = runner.builder.build(runner.builder.toolchain(None), source)
        module = {"source": json.loads(json.dumps(asdict(source))), "folder": str(folder)}
        runner.do_load_function(name, answer.function, module)
    else:
        runner.do_load(name, asdict(answer), task)
