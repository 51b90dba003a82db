"""Modules that one machine of a cluster builds for another machine, so that a machine with a GPU need not build.

The building machine loads an answer in a sandbox, as the judge does, to find out which sources the answer builds. Each
source is then built in a process that runs no student's code. The module and the version of its toolchain are sent to
the machine that judges. This machine stores the module in its build cache, but only under the key that its own
toolchain of the same version would use for the same source.
"""

from __future__ import annotations

import base64
import json
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path

from autograder.judging.jobs import Job
from autograder.judging.sandbox import sandbox
from course import build
from course.device import EMULATED
from course.errors import BuildError
from course.toolchains.time_limit import TimeLimit
from course.worker.builder_pool import build_apart
from course.worker.handle import Worker
from course.worker.message_fields import source_from_json
from course.worker.modules import BUILD_SECONDS
from course.worker.protocol import AnswerError, WorkerLost

MODULES_BOUND = 16 << 20  # bytes of a job's modules; without a bound, large arrays in an answer would make them huge
NO_MODULES = "[]"  # an empty list of modules, as JSON


def modules_for(job: Job, architecture: str | None) -> str:
    """The modules that judging `job` needs, as JSON. `architecture` is nvcc's name of the GPU's architecture.

    A module that cannot be built or is too large is left out. The judging machine then builds it, or says what is
    wrong.
    """
    found, room = [], MODULES_BOUND
    here = job.toolchain if job.toolchain in EMULATED else "emulator"
    server = sandbox(here) if job.sandbox else None
    with Worker(here, server=server) as worker:
        with suppress(BuildError, AnswerError, WorkerLost):
            worker.load("answer", job.answer, job.questions[0].load_task())
        for source in worker.sources:
            for name in (job.toolchain, "traced"):
                confine = server.confine if server else ()
                limit = TimeLimit(BUILD_SECONDS)
                reply = build_apart(name, source, confine, limit, architecture=architecture)
                if "folder" not in reply:
                    continue
                module = (Path(reply["folder"]) / "module.so").read_bytes()
                if len(module) <= room:
                    room -= len(module)
                    text = base64.b64encode(module).decode()
                    made = {"module": text, "symbols": reply["symbols"], "source": asdict(source)}
                    version = build.usable_toolchain(name, architecture).version()
                    found.append({**made, "toolchain": name, "version": version})
    return json.dumps(found)


def keep(modules: str) -> None:
    """Put the modules into this machine's build cache, if their toolchain has the version that this machine has."""
    for each in json.loads(modules):
        toolchain = build.usable_toolchain(each["toolchain"])
        if toolchain.version() == each["version"]:
            module = base64.b64decode(each["module"])
            build.keep(toolchain, source_from_json(each["source"]), module, each["symbols"])
