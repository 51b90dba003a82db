"""The errors that the course raises, and the hazards that the course detects in kernels."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

# The kinds of hazards that a verdict can have, with a description of each for learners. A kind must be one of these
# texts, because the feedback on hidden cases shows it to students.
HAZARDS = {
    "out-of-bounds": "an access to memory that belongs to no tensor",
    "misaligned": "a vector access at an address that is not a multiple of its size",
    "race": "threads that access the same element in no fixed order, and one of them changes it",
    "divergent-barrier": "a __syncthreads() that some threads of a block do not reach",
    "divergent-warp": "a warp operation that some lanes of the warp do not reach",
    "uninitialised-read": "a read of memory that was never written",
    "unwritten-output": "elements of the output that no thread writes",
    "modified-input": "an input that the answer changes",
    "kept-output": "a result in memory that the next call overwrites",
    "host-access": "an access to the GPU's memory by the wrapper, outside of kernels",
    "bad-launch": "a launch that CUDA refuses",
    "library-call": "a library, or the CPU, that does the kernel's work",
    "timeout": "code that does not end in time",
    "crash": "code that ends its own process",
}

# Limits of the emulator that are no mistakes. SIZE: it is slower than a GPU, and the threads kept ending. ORDER: it
# runs the blocks of a grid one after another, and a thread waited for something while other blocks had not started.
SIZE, ORDER = "size", "order"


@dataclass(frozen=True)
class Hazard:
    """Something a kernel did that the hardware forbids or leaves undefined.

    `kind` is a key of HAZARDS. `detail` is one sentence for the learner. `where` lists places as `{"line": int,
    "block": [x, y, z], "thread": [x, y, z]}`, and is empty if the call was not traced. `emulator_limit`
    says which limit of the emulator may be the cause of a timeout: SIZE, ORDER, or "" for none. `advice` is the part of
    `detail` that says or asks what to correct, and `seen` is the rest; both are "" if `detail` has no such part. `id`
    is the id of its sentence (explain/texts.toml); "" if the emulator did not find the hazard.
    """

    kind: str
    detail: str
    kernel: str = ""
    where: tuple[Mapping, ...] = ()
    emulator_limit: str = ""
    seen: str = ""
    advice: str = ""
    id: str = ""


class CourseError(Exception):
    """An error whose text is one clear sentence for the learner: notebooks show it without a stack trace."""

    def _render_traceback_(self) -> list[str]:
        """The lines that IPython shows in place of a stack trace."""
        return [f"{type(self).__name__}: {self}"]


class BuildError(CourseError):
    """The source does not build. The text is the shortened output of the compiler, and `log` the path of the full one.

    `lines` has the line number, from 1, and the text of each error in the CUDA source whose line is known.
    """

    def __init__(self, message: str, log: Path | None = None, lines: tuple[tuple[int, str], ...] = ()):
        super().__init__(message)
        self.log, self.lines = log, lines


class ToolchainMissing(CourseError):
    """The toolchain cannot work on this machine. The text gives the reason and a remedy."""


class KernelError(RuntimeError):
    """A call of a built function failed on the device. `hazards` lists the hazards in the order of their detection."""

    def __init__(self, message: str, hazards: tuple[Hazard, ...] = ()):
        super().__init__(message)
        self.hazards = hazards


class CannotJudge(CourseError):
    """The answer cannot be judged here: the sizes or a feature are beyond the emulator, or the task's model fails."""


class NotEmulated(BuildError, CannotJudge):
    """The source needs something that the emulator does not have, which is no mistake of the source."""
