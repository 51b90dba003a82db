"""Runs a compiler and turns what it says into a few lines about the student's own source."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from course.errors import BuildError, ToolchainMissing
from course.toolchains.cuda_text import CudaText, line_of
from course.toolchains.pytorch import pytorch_folder

SHOWN_ERRORS = 3
MAIN_SOURCE = "cuda_sources"  # the source whose name goes without saying
TIME_LIMIT = 100  # s; a build that takes longer is a template that never ends; less than a worker is given for it

confine: tuple[str, ...] = ()  # stands before each command; {folder} is the only one that it may then write

LACKS_MEMBER = (
    "The course's small stand-in for torch's headers has no Tensor::{name}; "
    'toolchain="torch" builds with the real ones.'
)
NO_MEMBER = "PyTorch's own headers have no Tensor::{name} either."

# What errors, as they are shown, mean in a learner's words: (pattern, sentence). The first that fits is added.
HINTS = (
    (
        r"macro \"?assert\"? passed \d+ arguments",
        'assert takes one argument and no message; TORCH_CHECK(condition, "message") takes one.',
    ),
    (
        r"(?m)error: (?:course/[\w/.+-]+|checks?\.h): No such file",
        "The course has one header of its own: #include <course/checks.h>.",
    ),
    (
        r"'check_\w+' is not a member of 'course'|namespace \"course\" has no member \"check_"
        r"|'course' has not been declared|name followed by \"::\" must be .*\n.*\bcourse::",
        "Is #include <course/checks.h> missing?",
    ),
    (r"(?m)^\S.*['\"](?:Optional)?CUDAGuard", "Is #include <c10/cuda/CUDAGuard.h> missing?"),
    (
        # In the message, not in the line quoted below it; of a namespace that is not there nvcc quotes but the line.
        r"(?m)^\S.*(?:getCurrentCUDAStream|at::cuda|c10::cuda|C10_CUDA_KERNEL_LAUNCH_CHECK|C10_CUDA_CHECK)"
        r"|'cuda' (?:is not a member of|in namespace) '(?:at|c10)'"
        r"|name followed by \"::\" must be .*\n.*(?:at|c10)::cuda::",
        "Is #include <ATen/cuda/CUDAContext.h> missing?",
    ),
    (
        r"(?m)cannot convert '(?:const )?double\*' to '(?:const )?float\*'"
        r"|\"(?:const )?double \*\"\)? is incompatible with parameter of type \"(?:const )?float \*",
        "The kernel takes float*. Inside the dispatch macro the code is compiled for double too: it needs a template "
        "kernel, launched as kernel<scalar_t><<<...>>>.",
    ),
    (  # in no line of the student's: in the bindings
        r"(?m)^error: .(?P<name>\w*[a-z]\w*). was not declared in this scope",
        "cpp_sources lacks the prototype of {name}; leave cpp_sources out, and it is derived.",
    ),
    (
        r"(?m)^\S.*torch::Library::def",
        "m.def of TORCH_LIBRARY takes a name or a schema, then the function; "
        "a docstring as the third argument belongs to PYBIND11_MODULE.",
    ),
    (
        r"at::Tensor['\"] has no member (?:named )?['\"]shape['\"]",
        "In C++ a tensor's shape is sizes(), and its length in dimension d is size(d).",
    ),
    (r"at::Tensor['\"] has no member (?:named )?['\"](?P<name>\w+)", LACKS_MEMBER),
    (
        r"(?m)^\S.*unresolved overloaded function type|cannot determine which instance of overloaded function",
        "Several functions have the name that is bound: give them names of their own.",
    ),
    (
        r"(?m)^\S.*(?:multiple |re)definition of .(?:void )?PyInit_",
        "Functions and PYBIND11_MODULE bind, or two of the latter: leave one of them out.",
    ),
    (
        r"(?m)^\S.*(?:course::Module|is not a member of 'py(?:bind11)?'|namespace \"py(?:bind11)?\" has no member)",
        "The course's small stand-in for pybind11 binds plain functions and their docstrings; "
        'toolchain="torch" has all of it.',
    ),
    (  # before its echoes: the scalar_t that a dispatch macro would define
        r"(?m)^\S.*['\"](?P<name>(?:AT|C10|TORCH)_\w+)['\"] (?:was not declared|is undefined)",
        "The course's small stand-in for torch's headers may lack {name}; "
        'toolchain="torch" builds with the real ones.',
    ),
    (
        r"(?m)^\S.*(?:is not a member of '(?:torch|at|c10)'|'(?:torch|at|c10)::\w+' has not been declared"
        r"|namespace \"(?:torch|at|c10)\" has no member)"
        r"|name followed by \"::\" must be .*\n.*\b(?:torch|at|c10)::",
        "The course's small stand-in for torch's headers may lack it; toolchain=\"torch\" builds with the real ones.",
    ),
    (
        r"(?m)^\S.*'(?P<name>(?:cuda|__)\w+)' was not declared",
        'The emulator has no {name}; if CUDA does, toolchain="nvcc" has it.',
    ),
    (
        r"(?m)error: ATen/Parallel\.h: No such file",
        "What ATen/Parallel.h declares runs loops on the host: let a kernel do that work. The course's small stand-in "
        'for torch\'s headers does not have ATen/Parallel.h; toolchain="torch" builds with the real ones.',
    ),
    (
        r"(?m)error: (?P<name>[\w/.+-]+): No such file",
        "The course's small stand-in for torch's headers does not have {name}; "
        'toolchain="torch" builds with the real ones.',
    ),
)

_GXX = re.compile(r"^(?P<file>[^:\n]+):(?P<line>\d{1,9}):(?:\d+:)? (?:fatal )?error: (?P<text>.*)$")
_REQUIRED_FROM = re.compile(r"^(?P<file>[^:\n]+):(?P<line>\d{1,9}):\d+:\s+required from here")
_EXPANDED_AT = re.compile(r"^(?P<file>[^:\n]+):(?P<line>\d{1,9}):\d+: note: in expansion of macro")
_INSTANTIATED_AT = re.compile(r'instantiation of ".*" at line (?P<line>\d{1,9}) of (?P<file>\S+)$')
_STATIC_ASSERTION = re.compile(r'^static assertion failed(?:: | with ")(?P<text>.*?)"?$')
_NVCC = re.compile(
    r"^(?P<file>[^\s(][^(\n]*)\((?P<line>\d{1,9})\): (?:catastrophic )?error(?: #[\w-]+)?: (?P<text>.*)$"
)
_PTXAS = re.compile(r"^ptxas (?:error|fatal)\s*: (?P<text>.*)$")
_LIMIT = re.compile(
    "File size limit exceeded|CPU time limit exceeded|No space left on device|Disk quota exceeded|Killed signal"
    "|died due to signal 9|out of memory|virtual memory exhausted|Cannot allocate memory"
)
_CRASH = re.compile(
    rf"(?m)^(?:{MAIN_SOURCE}:(?P<line>\d{{1,9}}):)?.*?(?P<text>(?:internal compiler error: |died due to signal ).*)$"
)
_LINKER = re.compile(r"^.*(?P<text>undefined reference to .*|multiple definition of .(?:\w+::)*(?P<name>\w+)[^;]*).*$")


def find(program: str, fix: str) -> str:
    """The path of `program`. Raises ToolchainMissing, with `fix`, where there is none."""
    path = shutil.which(program)
    if path is None:
        raise ToolchainMissing(f"{program} was not found: {fix}")
    return path


def confined(command: Sequence[str], folder: Path) -> list[str]:
    """`command`, which works in `folder` alone, under the restraint that was asked for."""
    return [*(part.replace("{folder}", str(folder)) for part in confine), *command]


def run(command: Sequence[str], folder: Path, sources: Mapping[str, str]) -> None:
    """Runs `command` in `folder`; `sources` maps the file names of `#line` to the texts behind them.

    The whole output goes to `build.log` there. Raises BuildError with the shortened output where the command fails.
    """
    log = folder / "build.log"
    status, output = _output(command, folder)
    with log.open("a") as file:
        file.write(f"$ {' '.join(command)}\n{output}\n")
    if status:
        raise BuildError(shorten(output, sources) or f"The compiler failed with exit code {status}.", log)


def found_errors(folder: Path) -> bool:
    """Whether a compiler that `run` had work in `folder` found errors in its source, and was not just stopped."""
    log = folder / "build.log"
    return log.exists() and bool(_errors(log.read_text(), {}))


def listed(command: Sequence[str], folder: Path) -> str:
    """What `command`, which lists something of what was built in `folder`, says. Raises BuildError where it fails."""
    status, output = _output(command, folder)
    if status:
        raise BuildError(shorten(output, {}) or f"{command[0]} failed with exit code {status}.")
    return output


def _output(command: Sequence[str], folder: Path) -> tuple[int, str]:
    """The exit status of `command`, run in `folder`, and what it said."""
    process = subprocess.Popen(
        confined(command, folder),
        cwd=folder,
        env={**os.environ, "LC_ALL": "C"},  # the messages are read below
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        process_group=0,  # in the session of a builder, which is killed as a whole
    )
    try:
        output = process.communicate(timeout=TIME_LIMIT)[0].decode(errors="replace")
    except subprocess.TimeoutExpired:
        raise BuildError(f"The compiler was stopped after {TIME_LIMIT} s.") from None
    finally:
        if process.poll() is None:  # the compiler proper is a child of the program that was started
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
    if process.returncode < 0:
        output += f"\n{command[0]} died due to signal {-process.returncode}"
    return process.returncode, output


@dataclass
class _Error:
    text: str
    place: tuple[str, int] | None  # file and line, in the student's text where that is known
    in_macro: bool = False  # of a header, which stands at that place

    def shown(self, sources: Mapping[str, str]) -> str:
        """The error, with the line of the source it is about."""
        if not self.place or self.place[0] not in sources:
            return f"error: {self.text}"
        file, number = self.place
        lines = sources[file].splitlines()
        line = f"\n    {lines[number - 1].strip()}" if 0 < number <= len(lines) else ""
        where = f"line {number}" if file == MAIN_SOURCE else f"{file}, line {number}"
        return f"{where}: error: {self.text}{line}"


def _errors(output: str, sources: Mapping[str, str]) -> list[_Error]:
    """The errors in a compiler's `output`; one in a header has the student's line that led there, if known."""
    found: list[_Error] = []
    led_here: tuple[str, int] | None = None
    for line in output.splitlines():
        # g++ prints the line that led to a header before the error there, nvcc after it.
        if (origin := _REQUIRED_FROM.match(line)) and origin["file"] in sources:
            led_here = origin["file"], int(origin["line"])
        if (origin := _INSTANTIATED_AT.search(line)) and found and origin["file"] in sources:
            found[-1].place = origin["file"], int(origin["line"])
        origin, last = _EXPANDED_AT.match(line), found[-1] if found else None
        if origin and origin["file"] in sources and last and last.place and last.place[0] not in sources:
            last.place, last.in_macro = (origin["file"], int(origin["line"])), True
        match = _GXX.match(line) or _NVCC.match(line) or _PTXAS.match(line) or _LINKER.match(line)
        if not match:
            continue
        groups = match.groupdict()
        place = (groups["file"], int(groups["line"])) if groups.get("file") else None
        if place and place[0] not in sources and led_here:
            place = led_here
        led_here = None
        text, name = _STATIC_ASSERTION.sub(r"\g<text>", groups["text"]), groups.get("name")
        defined = _defined(name, sources) if name else []  # of the linker's error, which has no line
        found += [_Error(text, at) for at in defined] or [_Error(text, place)]
    return sorted(found, key=lambda error: error.in_macro)  # what is wrong inside is an echo of what is around it


def _defined(name: str, sources: Mapping[str, str]) -> list[tuple[str, int]]:
    """Where functions called `name` are defined."""
    return [
        (file, line_of(text, f.start))
        for file, text in sources.items()
        for f in CudaText.of(text).functions
        if f.name == name
    ]


def _is_of_pytorchs_tensor(name: str) -> bool:
    """Whether the installed PyTorch's headers have a function of that name where at::Tensor is."""
    folder = pytorch_folder() / "include" / "ATen" / "core"
    texts = [path.read_text(errors="replace") for path in folder.glob("Tensor*.h")]
    return not texts or any(re.search(rf"\b{name}\s*\(", text) for text in texts)


def shorten(output: str, sources: Mapping[str, str]) -> str:
    """The first errors of a compiler's `output`, each with the line of the source it is about, and what they mean."""
    errors = _errors(output, sources)
    if not errors and (limit := _LIMIT.search(output)):
        return (
            f"The compiler ran into a limit ({limit[0]}): look for an array, a template or an included file that is "
            "far too large."
        )
    if not errors and (crash := _CRASH.search(output)):
        at = f" at line {crash['line']}" if crash["line"] else ""
        return (
            f"The compiler crashed{at} ({crash['text']}): that is a defect of the compiler, and no error of yours. "
            "Write what you changed last in another way."
        )
    if not errors:
        return "\n".join(output.strip().splitlines()[-8:])
    # The student's own lines first of all; a library call makes every other error an echo of it.
    library = [error for error in errors if error.text.startswith("library-call")]
    own = library or [error for error in errors if error.place and error.place[0] in sources] or errors
    # One a line: the others are its echoes.
    first_of_line = {error.place or error.text: error for error in reversed(own)}
    texts = [error.shown(sources) for error in own if first_of_line[error.place or error.text] is error]
    shown = texts[:SHOWN_ERRORS]
    if len(texts) > len(shown):
        shown.append(f"... and {len(texts) - len(shown)} more")
    everything = "\n".join(error.shown(sources) for error in errors)
    for pattern, sentence in HINTS:
        if match := re.search(pattern, everything):
            if sentence == LACKS_MEMBER and not _is_of_pytorchs_tensor(match["name"]):
                sentence = NO_MEMBER
            shown.append(sentence.format(**match.groupdict()))
            break
    return "\n".join(shown)
