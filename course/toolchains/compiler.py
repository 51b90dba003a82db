"""Runs a compiler and turns its output into a few lines about the student's own source."""

import os
import re
import signal
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from course.errors import BuildError
from course.explain.from_messages import ERRORS, is_python, meaning
from course.explain.from_paste import pasted
from course.explain.texts import Found, say
from course.text.brackets import unbalanced
from course.text.cuda import CudaText, line_of, with_line
from course.toolchains.time_limit import TimeLimit, processor_seconds

SHOWN_ERRORS = 3
MAIN_SOURCE = "cuda_sources"  # the source whose name is not shown
PRINTED = 1 << 20  # bytes that a compiler may print
TIME_LIMIT = 100  # s, as `TimeLimit` counts; a longer build has a template that never ends; a worker waits longer

_LONGEST_LINE, _LONGEST_OUTPUT = 2000, 1_000_000  # characters that are searched for errors

confine: tuple[str, ...] = ()  # the words before each command; the command may write only to {folder}

# The messages are those of clang, of nvcc, and of g++, to which nvcc leaves the C++ unit and its linking.
_AT = r"^(?P<file>[^:\n]+):(?P<line>\d{1,9}):"
_ERROR = re.compile(rf"{_AT}(?:(?P<column>\d{{1,9}}):)? (?:fatal )?error: (?P<text>.*)$")
_REQUIRED_FROM = re.compile(rf"{_AT}\d+:\s+required from here")
_REQUESTED_AT = re.compile(rf"{_AT}\d+: note: in (?:instantiation of .* requested here|(?P<macro>expansion of macro))")
_CANDIDATE = re.compile(r"^\S+:\d+:\d+: note: candidate .*?(?:not viable|ignored): (?P<why>.*)$")
_IN_MACRO = re.compile(rf"{_AT}\d+: note: expanded from macro '(?P<macro>\w+)'")
_INSTANTIATED_AT = re.compile(r'instantiation of ".*" at line (?P<line>\d{1,9}) of (?P<file>\S+)$')
_STATIC_ASSERTION = re.compile(
    r'^static assertion failed(?: due to requirement \'.*?\')?(?:: | with ")(?P<text>.*?)"?$'
)
_NVCC = re.compile(
    r"^(?P<file>[^\s(][^(\n]*)\((?P<line>\d{1,9})\): (?:catastrophic )?error(?: #[\w-]+)?: (?P<text>.*)$"
)
# What the C++ of the emulator and of the shim is to a student.
_OURS = (
    (r"'::emulator::Config'", "<<<...>>>"),
    (r"\bemulator::Index\b", "uint3"),
    (r"; did you mean '[^'\n]{0,99}\bemulator::\w+'\?", ""),
    (r"(?m)for call to 'put'$", "to return this type to Python: the course's shim for torch's headers has none"),
    (
        r" due to requirement 'kNever<(.{1,200}?)>(?: \|\|.{1,900})?': (.{1,99}) this argument type",
        r": \2 this argument type (\1)",
    ),
)
_SEMICOLON = re.compile(r"expected (?:',' or )?';' (?:before|at end|after (?!module))|expected a \";\"")
_DEFINITION = re.compile(r"expected ';' after (?:struct|class|union|enum|alias)")
_LIBRARY_CALL = re.compile("library-call: ")  # so begin the static assertions of the shim that refuse such a call
_PTXAS = re.compile(r"^ptxas (?:error|fatal)\s*: (?P<text>.*)$")
# The folders of a path that is not the student's, such as the build cache's.
_FOLDERS = re.compile(r"(?<![^\s'\"(])(?:/[\w.+@~-]{1,200}){2,20}/")
_LIMIT = re.compile(
    "File size limit exceeded|CPU time limit exceeded|No space left on device|Disk quota exceeded|Killed signal"
    "|died due to signal (?:9|24|25)|out of memory|virtual memory exhausted|bad_alloc|Cannot allocate memory"
)
_CRASH = re.compile(
    rf"(?m)^(?:{MAIN_SOURCE}:(?P<line>\d{{1,9}}):)?.*?"
    r"(?P<text>internal compiler error: .*|died due to signal .*|error in backend: .*|frontend command failed[^(\n]*\w)"
)
_LINKER = re.compile(
    r"^.*(?P<text>undefined (?:reference to|symbol: ).*"
    r"|(?:multiple definition of .|duplicate symbol: )(?:\w+::)*(?P<name>\w+)[^;]*).*$"
)


def confined(command: Sequence[str], folder: Path) -> list[str]:
    """`command`, confined to `folder` if `confine` is set."""
    return [*(part.replace("{folder}", str(folder)) for part in confine), *command]


def run(
    command: Sequence[str],
    folder: Path,
    sources: Mapping[str, str],
    *,
    clock_seconds: float | None = None,
    interrupted: threading.Event | None = None,
) -> None:
    """Runs `command` in `folder`; `sources` maps the file names of `#line` to the texts behind them.

    The output goes to `build.log` in `folder`. Raises BuildError with the shortened output if the command fails, prints
    too much, or takes longer than TIME_LIMIT, or than `clock_seconds` on the clock if they are given. Raises
    KeyboardInterrupt, after the command has ended, once another thread sets `interrupted`.
    """
    log = folder / "build.log"
    status, output, is_whole = _output(command, folder, clock_seconds, interrupted)
    with log.open("a") as file:
        file.write(f"$ {' '.join(command)}\n{output}\n")
    if status:
        limit = "" if is_whole else "more than 1 MiB of messages"
        message = shorten(output, sources, limit) or f"The compiler failed with exit code {status}."
        raise BuildError(message, log, error_lines(output, sources))


def found_errors(folder: Path) -> bool:
    """Whether a compiler that `run` started in `folder` found errors in its source, and was not just stopped."""
    log = folder / "build.log"
    return log.exists() and bool(_errors(log.read_text(), {}))


def _output(
    command: Sequence[str], folder: Path, clock_seconds: float | None = None, interrupted: threading.Event | None = None
) -> tuple[int, str, bool]:
    """The exit status of `command`, run in `folder`, its output, and whether that is whole: not more than PRINTED
    bytes.

    Of a longer output, there is only the start, and the command counts as failed.
    """
    process = subprocess.Popen(
        confined(command, folder),
        cwd=folder,
        env={**os.environ, "LC_ALL": "C"},  # the messages are read below
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        process_group=0,  # a process group in the builder's session, which is killed as a whole
    )
    printed = b""
    used = time.monotonic if clock_seconds else partial(processor_seconds, process.pid)
    try:
        with TimeLimit(clock_seconds or TIME_LIMIT).watching(used) as left:
            # clang has printed its last error, but reads on, which may take minutes for thousands of lines.
            while process.returncode is None and len(printed) <= PRINTED and b"too many errors emitted" not in printed:
                try:
                    printed = process.communicate(timeout=min(left(), 0.1))[0]
                except subprocess.TimeoutExpired as still_running:
                    printed = still_running.output or b""
                if interrupted and interrupted.is_set():
                    raise KeyboardInterrupt
    except TimeoutError as error:
        measured = f"{clock_seconds:g} s" if clock_seconds else error
        raise BuildError(f"The compiler was stopped after {measured}.") from error
    finally:
        if process.poll() is None:  # the real compiler is a child of the program that was started
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
    if len(printed) > PRINTED:
        return 1, printed[:PRINTED].decode(errors="replace"), False
    output = printed.decode(errors="replace")
    # A sandbox reports the number of a signal, plus 128, as an exit code.
    if ended_by := max(-process.returncode, process.returncode - 128, 0):
        output += f"\n{command[0]} died due to signal {ended_by}"
    return process.returncode, output, True


@dataclass
class _Error:
    text: str
    place: tuple[str, int] | None  # file and line, in the student's text if they are known
    after_code: bool = False  # whether a ; is missing after code of that line, and not at its start
    in_macro: bool = False  # a header's macro that is used at that place
    explained: bool = False  # whether the text says all about it

    def shown(self, sources: Mapping[str, str]) -> str:
        """The error, with its line of the source."""
        if not self.place or self.place[0] not in sources:
            return f"error: {self.text}"
        file, number = self.place
        return with_line(sources[file], number, f"error: {self.text}", "" if file == MAIN_SOURCE else file)


def _errors(output: str, sources: Mapping[str, str]) -> list[_Error]:
    """The errors in a compiler's `output`; an error in a header has the student's line that led there, if known."""
    found: list[_Error] = []
    led_here: tuple[str, int] | None = None
    for ours, known in _OURS:
        output = re.sub(ours, known, output[:_LONGEST_OUTPUT])
    for line in (each[:_LONGEST_LINE] for each in output.splitlines()):
        last = found[-1] if found else None
        # g++ prints the line that led to a header before the error there, the others after it.
        if (origin := _REQUIRED_FROM.match(line)) and origin["file"] in sources:
            led_here = origin["file"], int(origin["line"])
        if last and (origin := _INSTANTIATED_AT.search(line)) and origin["file"] in sources:
            last.place = origin["file"], int(origin["line"])
        origin = _REQUESTED_AT.match(line)
        if origin and origin["file"] in sources and last and last.place and last.place[0] not in sources:
            last.place, last.in_macro = (origin["file"], int(origin["line"])), bool(origin["macro"])
        origin = _IN_MACRO.match(line)
        if origin and origin["file"] in sources and last and last.place and last.place[0] in sources:
            where = f"in the macro {origin['macro']}, line {origin['line']}"
            last.text += "" if where in last.text else f" ({where})"
        elif origin and last and (ours := re.match(r"no matching function for call to '(\w+)'$", last.text)):
            if not re.search(rf"\b{ours[1]}\b", last.shown(sources).partition("\n")[2]):  # our macro calls our function
                last.text = f"no matching function for call to '{origin['macro']}': the arguments do not fit"
        candidate = _CANDIDATE.match(line)
        if candidate and last and last.text.startswith("no matching ") and ": " not in last.text:
            last.text += f": {candidate['why']}"
        match = _ERROR.match(line) or _NVCC.match(line) or _PTXAS.match(line) or _LINKER.match(line)
        if not match:
            continue
        groups = match.groupdict()
        place = (groups["file"], int(groups["line"])) if groups.get("file") else None
        if place and place[0] not in sources and led_here:
            place = led_here
        led_here = None
        text, name = _FOLDERS.sub("", _STATIC_ASSERTION.sub(r"\g<text>", groups["text"])), groups.get("name")
        after_code = False
        if place and place[0] in sources and _SEMICOLON.match(text):
            line_there = "".join(sources[place[0]].split("\n")[place[1] - 1 : place[1]])
            after_code = bool(line_there[: int(groups.get("column") or 1) - 1].strip())
        defined = _defined(name, sources) if name else []  # a linker error has no line
        found += [_Error(text, at) for at in defined] or [_Error(text, place, after_code)]
    return sorted(found, key=lambda error: error.in_macro)  # an error inside a macro often follows from one around it


def _defined(name: str, sources: Mapping[str, str]) -> list[tuple[str, int]]:
    """Where functions called `name` are defined."""
    return [
        (file, line_of(text, f.begin))
        for file, text in sources.items()
        for f in CudaText.of(text).functions
        if f.name == name
    ]


def _without_echoes(errors: list[_Error], sources: Mapping[str, str]) -> list[_Error]:
    """The errors without those that follow from a bracket without a partner or from a missing semicolon."""
    for file, text in sources.items():
        if problem := _problem(text, file):
            before = [e for e in errors if e.place and e.place[0] == file and e.place < (problem.place or e.place)]
            return [*([] if problem.explained else before[: SHOWN_ERRORS - 1]), problem]
    for index, error in enumerate(errors):
        if _SEMICOLON.match(error.text) and error.place and error.place[0] in sources:
            file, line = error.place
            ends = r"[\w)\]\"]\s*$"
            before_it = _unfinished_line(sources[file], line + error.after_code, ends)
            earlier = errors[:index]
            if _DEFINITION.match(error.text):  # clang takes words of the next line for a part of the definition
                before_it = before_it or _unfinished_line(sources[file], line, r"[\w}]\s*$")
                earlier = [each for each in earlier if each.place != error.place]
            if before_it:
                missing = _Error("a ; is missing at the end of this line", (file, before_it))
                return [*earlier, missing]
    return errors


def _problem(source: str, file: str = MAIN_SOURCE) -> _Error | None:
    """What no compiler can read in `source`: what came with a paste or a merge, Python, a bracket without partner."""
    if found := pasted(source):
        return _Error(say(found[1]), (file, found[0]), explained=True)
    if python := re.search(r"^[ \t]*def\s+\w+\s*\(.*:[ \t]*$", CudaText.of(source).certain, re.MULTILINE):
        return _Error("this is Python", (file, line_of(source, python.start())))
    line, text = unbalanced(source) or (0, "")
    return _Error(text, (file, line)) if text else None


def _unfinished_line(source: str, line: int, ends: str) -> int | None:
    """The last line with code before `line`, if it has one of these `ends`."""
    lines = CudaText.of(source).without_directives.split("\n")[: line - 1]
    number = next((n for n in range(len(lines), 0, -1) if lines[n - 1].strip()), None)
    return number if number and re.search(ends, lines[number - 1]) else None


def _own_errors(errors: Sequence[_Error], sources: Mapping[str, str]) -> list[_Error]:
    """The errors that the student must fix, without the errors that follow from them."""
    # The student's own lines come first. If there is a library call, every other error follows from it.
    library = [error for error in errors if _LIBRARY_CALL.match(error.text)]
    own = library or [error for error in errors if error.place and error.place[0] in sources] or errors
    # One error per line: the others follow from it.
    first_of_line = {error.place or error.text: error for error in reversed(own)}
    own = [error for error in own if first_of_line[error.place or error.text] is error]
    # All errors after a statement of Python follow from it.
    return own[: next((n for n, error in enumerate(own, 1) if is_python(error.shown(sources))), None)]


def error_lines(output: str, sources: Mapping[str, str]) -> tuple[tuple[int, str], ...]:
    """The lines of the CUDA source in which a compiler's `output` has errors, each with what is wrong there."""
    own = _own_errors(_without_echoes(_errors(output, sources), sources), sources)
    return tuple((error.place[1], error.text) for error in own if error.place and error.place[0] == MAIN_SOURCE)


def shorten(output: str, sources: Mapping[str, str], limit: str = "") -> str:
    """The first errors of a compiler's `output`, each with its line of the source, and what they mean.

    `limit` is the limit that ended the compiler, if any. If it is "", the output may name one.
    """
    errors = _errors(output, sources)
    if not limit and (named := _LIMIT.search(output)):
        limit = named[0]
    if not errors and limit:
        return (
            f"The compiler ran into a limit ({limit}): look for an array, a macro, a template or an included file "
            "that is far too large."
        )
    if not errors and (crash := _CRASH.search(output)):
        at = f" at line {crash['line']}" if crash["line"] else ""
        return (
            f"The compiler crashed{at} ({crash['text']}): this is a bug in the compiler, not your mistake. "
            "Write your last change in another way."
        )
    errors = _without_echoes(errors, sources)
    if not errors:
        return _FOLDERS.sub("", "\n".join(output.strip().splitlines()[-8:]))
    texts = [error.shown(sources) for error in _own_errors(errors, sources)]
    shown = texts[:SHOWN_ERRORS]
    if len(texts) > len(shown):
        shown.append(f"... and {len(texts) - len(shown)} more")
    everything = "\n".join(error.shown(sources) for error in errors if not error.explained)
    return "\n".join([*shown, *_hint(everything, sources)])


def _hint(errors: str, sources: Mapping[str, str]) -> list[str]:
    """The sentence, if any, that says what `errors` mean; `errors` have the form in which they are shown."""
    found = meaning(ERRORS, errors)
    text = "".join(CudaText.of(each).blank for each in sources.values())
    # Whether the elements' type comes from a macro and is in no line of the student's.
    if found and "AT_DISPATCH_" in text and f"data_ptr<{found.facts.get('given')}>" not in text:
        found = Found(found.id, {**found.facts, "case": "dispatched"})
    return [say(found)] if found else []


def unreadable(source: str) -> str | None:
    """The error, as it is shown, that hides the functions of `source`."""
    problem = _problem(source)
    if not problem:
        return None
    error = problem.shown({MAIN_SOURCE: source})
    return "\n".join([error, *_hint("" if problem.explained else error, {})])


def unbound(source: str, name: str) -> str:
    """Why the function `name` that a CUDA source defines cannot be bound; "" if it can, or is not defined."""
    found = [function for function in CudaText.of(source).functions if function.name == name]
    if not found or not all(reasons := [function.unbound for function in found]):
        return ""
    case, words = reasons[-1] or ("", "")
    return say(Found("unbound", {"case": case, "words": words, "line": line_of(source, found[-1].begin)}))
