"""`load_inline` in a worker: the referee builds the module, and the worker loads it (see `worker/modules.py`)."""

import contextlib
import functools
import inspect
import json
import linecache
import re
import threading
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from course import build
from course.errors import BuildError
from course.toolchains.base import Source, Toolchain
from course.worker.messages import SOURCE_BOUND, TOO_LONG, RequestStream
from course.worker.recording import ANSWER, Recorder

OTHER_NUMBERS = "In the source that load_inline was given, "
_CHECKS = re.compile(r"#\s*include\s*[<\"]course/checks\.h")


class WorkerBuilder(build.Builder):
    """The builder of a worker, which uses the worker's toolchain whatever a script asks for."""

    def __init__(self, toolchain: str):
        self.referee: RequestStream | None = None  # the channel for build requests; with None, this process builds
        self.recorder: Recorder | None = None  # receives the calls of functions while a script is recorded
        self.failed: list[tuple[str, Exception]] = []  # what was called in each build or call that failed, and why
        self._toolchain = build.known_toolchain(toolchain)
        self._asking = threading.Lock()  # one of a script's threads at a time

    @contextlib.contextmanager
    def installed(self) -> Iterator[None]:
        """A context in which the course's `load_inline` uses this builder, and PyTorch's `load_inline` does the same.

        Scripts import PyTorch's, so this replaces an attribute of another module. It is the only place that does so.
        """
        # Not at the top: this module asks whether there is a GPU, unless fork_server.py imports it.
        from torch.utils import cpp_extension

        original = cpp_extension.load_inline
        signature = inspect.signature(original)

        @functools.wraps(original)
        def load_inline(*args: Any, **kwargs: Any) -> build.Module:
            call = signature.bind(*args, **kwargs)  # raises TypeError as in PyTorch, for instance without cpp_sources
            given = call.arguments
            given["verbose"] = False  # the compiler's command lines would only hide what the script prints
            if _CHECKS.search(f"{given['cpp_sources']} {given.get('cuda_sources')}"):
                raise BuildError(
                    "a script is built as PyTorch itself builds it, without the course's headers: copy the checks "
                    "that it needs from course/checks.h into the script."
                )
            given["cuda_sources"], where = _numbered_as_the_answer(given.get("cuda_sources"))
            with self._noting("load_inline"):
                try:
                    return build.load_inline(*call.args, **call.kwargs)
                except BuildError as error:
                    raise BuildError(f"{where}{error}") from error

        cpp_extension.load_inline = load_inline
        try:
            with build.use_builder(self):
                yield
        finally:
            cpp_extension.load_inline = original

    def toolchain(self, name: str | None) -> Toolchain:
        return self._toolchain  # even if it does not work here: the referee has the compiler

    def build(self, toolchain: Toolchain, source: Source) -> Path:
        """The folder of a build by the referee, which also checks the symbols. The answer cannot change the folder."""
        if self.referee is None:
            return super().build(toolchain, source)
        request = {"build": {"toolchain": toolchain.name, "source": asdict(source)}}
        if len(json.dumps(request)) > SOURCE_BOUND:
            raise BuildError(TOO_LONG)
        with self._asking:
            self.referee.send(request)
            reply = self.referee.receive()
        if reply is None:
            raise BuildError("the judge has gone")
        if "folder" not in reply:
            raise BuildError(reply["error"])
        return Path(reply["folder"])

    def load(self, toolchain: Toolchain, source: Source, folder: Path) -> dict[str, Callable]:
        """The functions, whose calls are recorded while there is a `recorder`."""
        calls = super().load(toolchain, source, folder)
        return {name: functools.partial(self._call, name, source, call) for name, call in calls.items()}

    def load_built(self, source: Source, folder: str) -> dict[str, Callable]:
        """The functions of what the referee has built into `folder`."""
        return self.load(self._toolchain, source, Path(folder))

    def _call(self, name: str, source: Source, call: Callable, *arguments: Any) -> Any:
        with self._noting(name):
            return self.recorder.call(name, source, call, arguments) if self.recorder else call(*arguments)

    @contextlib.contextmanager
    def _noting(self, name: str) -> Iterator[None]:
        """A context that adds an exception to `failed`, in case the script handles it."""
        try:
            yield
        except Exception as error:
            self.failed.append((name, error))
            raise


def _numbered_as_the_answer(sources: Any) -> tuple[Any, str]:
    """CUDA sources with the answer's line numbers, and the words before a line's number.

    Only the text of a single source is looked for; a source that the answer composes keeps its own numbers.
    """
    match sources:
        case str() as source:
            pass
        case [str() as source]:
            pass
        case _:
            return sources, OTHER_NUMBERS
    answer = "".join(linecache.getlines(ANSWER))
    start = answer.find(source)
    return ("\n" * answer.count("\n", 0, start) + source, "") if start >= 0 else (sources, OTHER_NUMBERS)
