"""The referee: makes the inputs itself, holds the reference, compares what a worker gives back.

Nothing that a worker says decides beyond the raw outputs, and what the tracer there saw kernels do to memory. A
reference is computed in this process alone.
"""

from __future__ import annotations

import functools
import inspect
import itertools
import math
import random
import re
import secrets
import statistics
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass, replace
from typing import Any

import torch

from course import build
from course.device import EMULATED, this_gpu
from course.diagnose import HELD, Wrong, accepted, diagnose, explained, in_global, narrow_operands, too_many
from course.precision import (
    NARROW,
    SumLength,
    counted_length,
    float32_loss,
    from_narrow_operands,
    with_narrow_operands,
)
from course.recording import tensors_in
from course.tasks import Case, Task, free_memory, load_task
from course.toolchains.base import BuildError, CourseError, Hazard, Source
from course.toolchains.cache import require_writable
from course.toolchains.emulator import counting_problem
from course.verdict import TOO_MUCH, CaseResult, Example, Places, Verdict
from course.worker import (
    Answer,
    AnswerError,
    Budget,
    Failure,
    ForeignSymbols,
    Other,
    Outcome,
    RefereeFailed,
    Server,
    TensorInfo,
    TimedOut,
    Worker,
    WorkerLost,
)

SLICE_BYTES = 64 << 20  # compared at a time
SAMPLED_BYTES = 256 << 20  # larger outputs are compared on slices drawn at random
SAMPLES, SAMPLE_BYTES = 6, 16 << 20
EMULATOR_BYTES = 256 << 20  # what the emulator runs in seconds
EMULATOR_OPERATIONS = 4_000_000_000
CALL_SECONDS = 20.0
EXAMPLES = 3
REFUSALS = ("RuntimeError", "NotImplementedError", "TypeError", "ValueError")  # the second: AT_DISPATCH's
TRACED_ACCESSES = 500_000  # to memory, about: what the emulator traces in a tenth of a second
MANY_OUTPUTS = 100  # whose root mean square is that of their terms
TO_HOST_BYTES = 64  # that a wrapper may well look at: some numbers, no tensor
TIMED_SECONDS = 0.1  # of one of the repetitions that are timed
TIMED_ROUNDS = 5
_SHARING = re.compile(r"__shared__|__pipeline_")  # threads hand each other data
_SHUFFLED = random.SystemRandom()


class _Late(Exception):
    """To look at what an answer does to memory takes too much time or memory."""


class _PeerFailed(Exception):
    """What an answer is timed against has failed beside it."""


class CannotJudge(CourseError):
    """The answer cannot be judged here: the sizes do not fit, or the task's own model fails."""


def judge(
    answer: Answer,
    task: Task | str,
    *,
    cases: Sequence[Case] | None = None,
    toolchain: str | None = None,
    seed: int | None = None,
    timed: bool = False,
    peer: Answer | None = None,
    traced: bool = True,
    progress: Callable[[str], object] | None = None,
    server: Server | None = None,
) -> Verdict:
    """Judge `answer` on every case of `task` and say what was found.

    `cases` default to the visible ones of the task; `toolchain` to what `course.build` chooses; `seed` to a secret one.
    `timed` also times the answer beside the reference, or beside `peer`, on a GPU and where every case passed;
    `traced` also looks at its accesses to memory, which is done in any event where a case has `most`. `progress` is
    called with a line of text before each step. `server`, such as a sandbox, starts the processes in which the
    answer runs. An answer that does not build, raises, crashes or hangs has a verdict that says so.

    Raises CannotJudge, also where a case has `most` and this machine cannot count, TaskError, ToolchainMissing where it
    cannot build or run the answer, and RefereeFailed where what the referee itself needs has failed beside it.
    """
    task = load_task(task) if isinstance(task, str) else task
    cases = task.cases if cases is None else cases
    toolchain = build.usable_toolchain(toolchain).name
    require_writable()
    if any(case.most for case in cases) and (problem := counting_problem()):
        raise CannotJudge(problem)
    seed = secrets.randbits(62) if seed is None else seed  # so many that `other_seed` cannot be undone
    say = progress or (lambda line: None)
    device = "CPU (emulator)" if toolchain in EMULATED else this_gpu().name
    verdict = Verdict(task.name, toolchain, device)
    for sizes in {tuple(case.sizes.items()): case.sizes for case in cases}.values():
        _check_size(task.sized(sizes), toolchain)
    start = functools.partial(Worker, server=server, budget=Budget())
    start_traced = functools.partial(Worker, server=server, budget=Budget())  # slow calls must not cost the traced ones
    with start(toolchain, CALL_SECONDS) as worker:
        try:
            if answer.kind != "python":
                say(f"{toolchain} builds {answer.function}")
            worker.load("answer", answer, task)
        except BuildError as error:
            verdict.compiled, verdict.problem = False, str(error)
        except AnswerError as error:
            verdict.compiled, verdict.problem = False, explained(str(error))
        except ForeignSymbols as error:
            verdict.hazards = _hazards(error)
            verdict.cases = [_not_run(_name(task, case)) for case in cases]
            verdict.cases[:1] = [replace(_stopped(error), inputs=case.inputs) for case in verdict.cases[:1]]
        except WorkerLost as error:
            verdict.compiled, verdict.problem = False, f"While the answer was built: {error}"
            verdict.hazards += _hazards(error)
        else:
            _judge_cases(worker, task, cases, seed, verdict, say)
        verdict.printed = worker.printed
    if verdict.correct and (any(case.most for case in cases) or (traced and answer.kind != "python")):
        _trace(answer, task, cases, seed, verdict, say, start_traced)
    elif traced and verdict.failed:
        _look_closer(answer, task, cases, seed, verdict, say, start_traced, worker.sources)
    if timed and verdict.correct and toolchain not in EMULATED:
        _time(answer, peer or Answer("model", ""), task, seed, verdict, say, start)
    return verdict


def _check_size(task: Task, toolchain: str) -> None:
    """Raise CannotJudge where the tensors of `task` do not fit the device, or the emulator would take minutes."""
    size, operations = task.footprint()
    if toolchain in EMULATED:
        room, device = EMULATOR_BYTES, "emulator"
    else:
        room, device = free_memory("cuda") // 2, "GPU"  # the referee and the worker each hold them
    if size > room:
        reason = f"{size / 2**20:,.0f} MiB of tensors, where there is room for {room / 2**20:,.0f}"
    elif toolchain in EMULATED and operations > EMULATOR_OPERATIONS:
        reason = f"{operations / 1e9:,.0f} billion operations, where {EMULATOR_OPERATIONS / 1e9:.0f} take seconds"
    else:
        return
    smaller = " ".join(f"--set {name}=..." for name in task.integers)
    mend = f"judge it with smaller ones ({smaller})" if smaller else "the task file has no sizes that could be set"
    raise CannotJudge(f"The sizes {_integers(task)} are too large for the {device} ({reason}): {mend}.")


def _judge_cases(worker: Worker, task: Task, cases: Sequence[Case], seed: int, verdict: Verdict, say: Callable) -> None:
    """Judge case after case into `verdict`, until the worker is lost."""
    lost = False
    for i, case in enumerate(cases):
        name = _name(task, case)
        if lost:
            verdict.cases.append(_not_run(name))
            continue
        say(f"Case {i + 1} of {len(cases)}: {name}")
        try:
            result, hazards, lost = _judge_case(worker, task, case, seed + i)
        except WorkerLost as error:
            result, hazards, lost = _stopped(error), _hazards(error), True
        verdict.cases.append(replace(result, inputs=name))
        # The same one from every case would say nothing new.
        seen = {(hazard.kind, hazard.kernel) for hazard in verdict.hazards}
        verdict.hazards += [hazard for hazard in hazards if (hazard.kind, hazard.kernel) not in seen]


def _trace(
    answer: Answer,
    task: Task,
    cases: Sequence[Case],
    seed: int,
    verdict: Verdict,
    say: Callable,
    start: Callable[..., Worker],
) -> None:
    """Run what `_traceable` chooses once more, every access to memory looked at: hazards and traffic, into `verdict`.

    So an answer fails whose values were right by luck: a race that ended well, a read past the end that did no harm.
    The emulator does it on a machine with a GPU as well, so that marks are the same on both. Where it takes too much
    time or memory, though not again in a smaller case, that is decided for the learner, and the verdict says so, but a
    case that has `most` fails where nothing could be counted; an answer that otherwise builds or runs no longer when it
    is looked at is not right.
    """
    say("Tracing its accesses to memory")
    chosen = _traceable(task, cases)
    if not chosen and any(case.expect == "value" for case in cases):
        verdict.untraced = "Every case is too large to be traced."
        return
    if answer.kind == "python":
        verdict.untraced = "the answer is Python, and only what a CUDA kernel asks for can be counted."
        chosen, uncounted = [], {number for number, case in enumerate(cases) if case.most}
    else:
        uncounted = {number for number, case in chosen if case.most}
    while chosen and not verdict.hazards:
        with start("traced", CALL_SECONDS) as worker:
            try:
                worker.load("answer", answer, task)
                while chosen and not verdict.hazards:
                    number, case = chosen.pop(0)
                    _trace_case(worker, task, number, case, seed + number, verdict)
                    uncounted.discard(number)
            except _Late as error:
                if verdict.untraced:  # a smaller case as well
                    verdict.hazards.append(Hazard("timeout", f"When it was traced: {error}"))
                verdict.untraced = str(error)
            except (BuildError, AnswerError) as error:
                verdict.compiled, verdict.problem = False, f"Built and run once more, to be traced, it failed. {error}"
                return
            except ForeignSymbols as error:
                verdict.hazards += _hazards(error)
            except WorkerLost as error:
                verdict.hazards.append(Hazard("crash", f"When it was traced: {error}"))
    if verdict.untraced:
        for number in uncounted:
            verdict.cases[number] = _not_counted(verdict.cases[number], verdict.untraced)


def _trace_case(worker: Worker, task: Task, number: int, case: Case, seed: int, verdict: Verdict) -> None:
    """Trace the case of that number, into `verdict`.

    Raises AnswerError where the call fails, _Late where it takes too long.
    """
    counting = bool(case.most) or not verdict.counted
    try:
        outcome = worker.run("answer", task, case, seed, counting)
    except WorkerLost as error:
        if isinstance(error, TimedOut) or getattr(error, "signal", "") == "SIGKILL":  # out of memory
            raise _Late(str(error)) from error
        raise
    if failure := outcome.failure:
        # What takes too long when it is traced has not taken too long.
        verdict.hazards += [hazard for hazard in failure.hazards if hazard.kind != "timeout"]
        if not failure.hazards:
            raise AnswerError(_raised(failure))
        if not verdict.hazards:
            raise _Late(_raised(failure))
    elif outcome.to_host > TO_HOST_BYTES:
        text = (
            f"The wrapper had {outcome.to_host:,} bytes copied to the host and looked at there: a kernel should do "
            "what it did with them."
        )
        verdict.hazards.append(Hazard("library-call", text))
    elif counting and not (outcome.traffic or outcome.uncounted) and _must_write(task, case, seed, outcome):
        text = (
            "When the call was traced, no kernel asked global memory for anything, and still it gave a result: the "
            "answer's own kernel must read the inputs and write the output."
        )
        verdict.hazards.append(Hazard("library-call", text))
    else:
        if not verdict.counted:
            verdict.counted, verdict.traffic = str(replace(case, most={})), outcome.traffic
        # The values are those of the very call that was looked at: an answer can tell that it is traced.
        result, hazards, _ = _judge_outcome(worker, task, case, seed, outcome)
        if case.most:
            result = _held_to_most(result, task.sized(case.sizes), case, outcome)
        if case.most or not result.passed:
            verdict.cases[number] = replace(result, inputs=verdict.cases[number].inputs)
        verdict.hazards += hazards


def _must_write(task: Task, case: Case, seed: int, outcome: Outcome) -> bool:
    """Whether a kernel has elements to write: an empty sum, say, is zeros without one."""
    inputs = task.sized(case.sizes).inputs(case, seed, "cpu")
    results = [info for _, info, _ in _pairs(outcome.result, outcome.result, "") if isinstance(info, TensorInfo)]
    return all(x.numel() for x in tensors_in(inputs)) and any(info.numel for info in results)


def _look_closer(
    answer: Answer,
    task: Task,
    cases: Sequence[Case],
    seed: int,
    verdict: Verdict,
    say: Callable,
    start: Callable[..., Worker],
    sources: Sequence[Source],
) -> None:
    """Trace one failed case of a wrong answer, where that may tell why: hazards with their lines, into `verdict`.

    Where an access was out of bounds and no line is known, it is the largest such case that is traced in a moment.
    Where values are wrong, nothing else is known, and threads hand each other data, it is the smallest, which has all
    that made it wrong. Where that shows nothing, what is known stays.
    """
    if any(hazard.kind == "out-of-bounds" and not hazard.where for hazard in verdict.hazards):
        mistake, place = "out-of-bounds", slice(1)
    elif not verdict.hazards and any(_SHARING.search(source.cuda) for source in sources):
        mistake, place = "wrong result", slice(-1, None)
    else:
        return
    say("Looking for the line")
    failed = {number for number, case in enumerate(verdict.cases) if not case.passed and case.mistake == mistake}
    traceable = [(number, case) for number, case in _traceable(task, cases) if number in failed]
    found: list[Hazard] = []
    with start("traced", CALL_SECONDS) as worker, suppress(BuildError, AnswerError, WorkerLost):
        worker.load("answer", answer, task)
        for number, case in traceable[place]:
            failure = worker.run("answer", task, case, seed + number).failure
            hazards = failure.hazards if failure else ()
            found = [each for each in hazards if each.where and mistake in (each.kind, "wrong result")]
    if found:
        verdict.hazards = found + [each for each in verdict.hazards if each.where or each.kind != mistake]


def _held_to_most(result: CaseResult, task: Task, case: Case, outcome: Outcome) -> CaseResult:
    """`result`, right or wrong, of a call whose traffic was counted: failed where that is more than `case` allows."""
    if not result.passed:
        return result
    if outcome.uncounted:
        return _not_counted(result, outcome.uncounted)
    for count, most in case.most.items():
        asked = in_global(outcome.traffic, count)
        # Each byte of the inputs must be read, and each of the output written, by some thread.
        least = task.module.bytes_moved() // HELD[count] if hasattr(task.module, "bytes_moved") else 1
        if asked < least:
            less = (
                f"The kernels ask global memory for {asked:,} {count}, fewer than the {least:,} that the inputs and "
                "the output fill: something else did a part of their work."
            )
            return replace(result, passed=False, seen=less, mistake="work outside of the kernels")
        if more := too_many(outcome.traffic, count, most):
            return replace(result, passed=False, seen=more, mistake=TOO_MUCH)
        result = replace(result, seen=f"{result.seen} The kernels ask for {asked:,} {count}, of {most:,} at most.")
    return result


def _not_counted(result: CaseResult, reason: str) -> CaseResult:
    seen = f"What the answer asks of memory could not be counted, which this question is about: {reason}"
    return replace(result, passed=False, seen=seen, mistake="not counted")


def _traceable(task: Task, cases: Sequence[Case]) -> list[tuple[int, Case]]:
    """The cases that are traced in a moment, and any with `most`, with their numbers; the largest first.

    Of those without `most` the largest that can be, which has more than one block and more than one tile, and the
    smallest ones, which have the edges.
    """
    costs: list[tuple[int, int]] = []  # about the accesses of a case, and its number
    for number, case in enumerate(cases):
        if case.expect == "value":
            sized = task.sized(case.sizes)
            operations = getattr(sized.module, "operations", None)
            costs.append((sized.footprint()[0] // 4 + (operations() if operations else 0), number))
    costs.sort()
    fitting = [each for each in costs if each[0] <= TRACED_ACCESSES]
    fitting = fitting[-1:] + fitting[:-1]
    totals = itertools.accumulate(cost for cost, _ in fitting)
    chosen = {number for total, (_, number) in zip(totals, fitting, strict=True) if total <= TRACED_ACCESSES}
    return [(number, cases[number]) for _, number in reversed(costs) if number in chosen or cases[number].most]


def _integers(task: Task) -> str:
    return ", ".join(f"{name}={value}" for name, value in task.integers.items())


def _name(task: Task, case: Case) -> str:
    return str(case) if case.sizes or not task.integers else f"{case}, {_integers(task)}"


def _not_run(name: str) -> CaseResult:
    return CaseResult(name, False, "Not run, since an earlier case ended the process.", mistake="")


def _stopped(error: WorkerLost) -> CaseResult:
    """The result of the case in which the worker was lost."""
    hazard = _hazards(error)[0]
    return CaseResult("", False, hazard.detail, mistake=hazard.kind)


def _hazards(error: WorkerLost) -> list[Hazard]:
    """What `error` says of the answer: that it hangs, that it crashes, or which functions it must not call."""
    if not isinstance(error, ForeignSymbols):
        return [Hazard("timeout" if isinstance(error, TimedOut) else "crash", str(error))]
    return [
        Hazard(
            "library-call",
            f"The answer calls {name}, which no kernel or wrapper of this course needs: code outside of the module "
            "could do the kernel's work. Remove that call.",
        )
        for name in error.names
    ]


def _judge_case(worker: Worker, task: Task, case: Case, seed: int) -> tuple[CaseResult, list[Hazard], bool]:
    """One case: its result (without the inputs' name), the hazards, and whether the worker is of no more use."""
    return _judge_outcome(worker, task, case, seed, worker.run("answer", task, case, seed))


def _judge_outcome(
    worker: Worker, task: Task, case: Case, seed: int, outcome: Outcome
) -> tuple[CaseResult, list[Hazard], bool]:
    failure = outcome.failure
    hazards = list(failure.hazards) if failure else []
    if failure and failure.fatal and not hazards:
        hazards.append(Hazard("crash", failure.message))
    if outcome.library_calls:
        calls = ", ".join(outcome.library_calls)
        text = f"PyTorch computed ({calls}) what the answer's own kernel should compute."
        if task.foreign:
            text += (
                " KernelBench itself would take it; here own kernels do all of a task's arithmetic, but for operations "
                "that its file lists in LIBRARY."
            )
        hazards.append(Hazard("library-call", text))
    lost = failure is not None and (failure.fatal or any(h.kind == "timeout" for h in hazards))
    if case.expect == "error":
        return _refusal(outcome, case), hazards, lost
    if failure:
        return CaseResult("", False, _raised(failure), mistake=_kind(failure)), hazards, lost
    result, more = _compare_case(worker, task.sized(case.sizes), case, seed, outcome)
    return result, hazards + more, lost


def _kind(failure: Failure) -> str:
    """The kind of mistake that ended a call."""
    return failure.hazards[0].kind if failure.hazards else "crash" if failure.fatal else "error raised"


def _raised(failure: Failure) -> str:
    text = explained(failure.message if failure.hazards else f"the call raised {failure}")
    return _begun(text) + "." * (text[-1:] not in ".?!")


def _begun(text: str) -> str:
    """`text` with its first letter as a sentence begins."""
    return text[:1].upper() + text[1:]


def _refusal(outcome: Outcome, case: Case) -> CaseResult:
    failure = outcome.failure
    if failure is None:
        return CaseResult("", False, accepted(case), mistake="wrong inputs accepted")
    if failure.hazards or failure.fatal or failure.type not in REFUSALS:
        instead = f"The wrapper must refuse these inputs; instead: {_raised(failure)}"
        return CaseResult("", False, instead, mistake=_kind(failure))
    return CaseResult("", True, f"Refused: {failure.message.splitlines()[0] if failure.message else failure.type}")


def _compare_case(
    worker: Worker, task: Task, case: Case, seed: int, outcome: Outcome
) -> tuple[CaseResult, list[Hazard]]:
    """Compare the inputs the call left and the outputs it gave with this process's own."""
    inputs = _named(task, worker.inputs(task, case, seed))
    changed = _changed(worker, outcome, inputs)
    hazards = [
        Hazard("modified-input", f"{name} is not what it was before the call: an answer must leave its inputs alone.")
        for name in changed
    ]
    values = list(inputs.values())
    counted = SumLength()
    with counted if task.sum_length is None else nullcontext():
        expected = _reference(task, values, seed)
    if task.asks_for_a_value:
        return _prediction(outcome.result, expected), hazards
    pairs = list(_pairs(outcome.result, expected, "the result"))
    if task.sum_length is None:
        terms, sizes = counted.terms, float32_loss(task, values, seed, [wanted for *_, wanted in pairs])
    else:
        terms, sizes = 0, [_least_size(task, values, seed, expected)] * len(pairs)
    for part, (name, got, wanted) in enumerate(pairs):
        what = name if len(pairs) > 1 else "the output"
        narrow = functools.partial(with_narrow_operands, task, values, seed, part)
        rounding = Rounding(terms, sizes[part], (lambda bits: iter(())) if counted.scans else narrow)
        result = _compare(worker, task, inputs, changed, what, got, wanted, rounding)
        if not result.passed:
            return result, hazards
    return result, hazards


def _reference(task: Task, inputs: Sequence[Any], seed: int) -> Any:
    try:
        return task.reference(inputs, seed)
    except CourseError:
        raise
    except (Exception, SystemExit) as error:
        text = str(error).partition("\n")[0]
        raise CannotJudge(f"The Model of the task {task.name} fails itself: {type(error).__name__}: {text}.") from error


def _least_size(task: Task, inputs: Sequence[Any], seed: int, expected: Any) -> float:
    """The root mean square that outputs of `task` have at least, for a sum's tolerance; 0 where they are many.

    Of a few the terms may happen to cancel, which leaves less than a term's rounding errors: what the terms come to
    where none is negative, over sqrt(K), is about the size that many outputs have.
    """
    count = task.sum_length or 1
    if count == 1 or sum(x.numel() for x in tensors_in(expected)) >= MANY_OUTPUTS:
        return 0.0
    terms = _reference(task, [abs(x) if _is_real(x) else x for x in inputs], seed)
    return max((_rms(x) for x in tensors_in(terms)), default=0.0) / math.sqrt(count)


def _is_real(value: Any) -> bool:
    """Whether it is of real numbers: integers may be indices, and a boolean is no number."""
    return value.is_floating_point() if isinstance(value, torch.Tensor) else isinstance(value, float)


def _named(task: Task, inputs: Sequence[Any]) -> dict[str, Any]:
    """The inputs by the names that `Model.forward` gives them."""
    names = list(inspect.signature(task.module.Model.forward).parameters)[1:]
    names += [f"input {i}" for i in range(len(names), len(inputs))]
    return dict(zip(names, inputs, strict=False))


def _changed(worker: Worker, outcome: Outcome, inputs: Mapping[str, Any]) -> list[str]:
    """The names of the input tensors that are not bit for bit what they were."""
    changed = []
    for info, (name, x) in zip(outcome.inputs, inputs.items(), strict=False):
        if not isinstance(x, torch.Tensor):
            continue
        flat = x.reshape(-1)
        if (
            info is None
            or (info.shape, info.dtype) != (tuple(x.shape), x.dtype)
            or not all(_bits_equal(worker.fetch(info, a, b), flat[a:b].cpu()) for a, b in _ranges(x))
        ):
            changed.append(name)
    return changed


def _bits_equal(a: torch.Tensor, b: torch.Tensor) -> bool:
    return torch.equal(a.contiguous().view(torch.uint8), b.contiguous().view(torch.uint8))


def _pairs(got: Any, expected: Any, name: str) -> Iterator[tuple[str, Any, Any]]:
    """The parts of a result beside those of the reference; tuples and lists are the same."""
    if isinstance(expected, tuple | list) and isinstance(got, tuple) and len(got) == len(expected):
        for i, (g, e) in enumerate(zip(got, expected, strict=True)):
            yield from _pairs(g, e, f"{name}[{i}]")
    elif isinstance(expected, dict) and isinstance(got, dict) and set(got) == set(expected):
        for key, e in expected.items():
            yield from _pairs(got[key], e, f"{name}[{key!r}]")
    else:
        yield name, got, expected


def _prediction(got: Any, expected: Any) -> CaseResult:
    """A prediction's result, which does not give the right one away."""
    if all(_equal(g, e) for _, g, e in _pairs(got, expected, "")):
        return CaseResult("", True, "Your prediction is right.")
    return CaseResult("", False, f"Your prediction, {_told(got)}, is not right{_wanted(got, expected)}.")


def _wanted(got: Any, expected: Any) -> str:
    """What kind of thing the prediction must be, where it is of another kind."""
    if isinstance(expected, dict):
        missing = [key for key in expected if not isinstance(got, dict) or got.get(key) is None]
        return f": it says nothing of {', '.join(missing)}" if missing else ""
    if not isinstance(expected, int) or isinstance(expected, bool):
        return ""
    if not isinstance(got, int | float):
        return ": it must be a number"
    return "" if got == got // 1 else ": it must be a whole number"


def _equal(got: Any, expected: Any) -> bool:
    """Whether a plain value is right: integers and text exactly, floats to one per cent."""
    if isinstance(expected, bool) or isinstance(got, bool) or not isinstance(expected, int | float):
        return type(got) is type(expected) and got == expected
    if not isinstance(got, int | float):
        return False
    if isinstance(expected, int):
        return got == expected
    return math.isclose(got, expected, rel_tol=1e-2) or (math.isnan(got) and math.isnan(expected))


def _told(value: Any) -> str:
    """A result in words."""
    if isinstance(value, TensorInfo | torch.Tensor):
        return f"a tensor of shape {tuple(value.shape)}"
    if isinstance(value, Other):
        return f"a {value.name}"
    if isinstance(value, tuple):
        return f"({', '.join(map(_told, value))})"[:200]
    if isinstance(value, dict):
        return f"{{{', '.join(f'{key!r}: {_told(part)}' for key, part in value.items())}}}"[:200]
    return "nothing (None)" if value is None else repr(value)[:200]


def _compare(
    worker: Worker,
    task: Task,
    inputs: Mapping[str, Any],
    changed: Sequence[str],
    name: str,
    got: Any,
    expected: Any,
    rounding: Rounding,
) -> CaseResult:
    """One part of the result beside the reference's; `changed` names the inputs that the call changed."""
    if not isinstance(expected, torch.Tensor):
        if isinstance(got, TensorInfo) and got.numel == 1:
            got = worker.fetch(got).item()
        passed = _equal(got, expected)
        return CaseResult("", passed, "" if passed else _begun(f"{name} is {_told(got)}; expected {_told(expected)}."))
    if not isinstance(got, TensorInfo):
        return CaseResult("", False, _begun(f"{name} is {_told(got)}; expected {_told(expected)}."))
    dtype = _output_dtype(inputs.values(), expected)
    problem = _form(task, name, got, expected, dtype)
    if problem:
        return CaseResult("", False, problem, mistake="wrong shape, type or device")
    return _compare_values(worker, task, inputs, changed, name, got, expected, rounding)


def _output_dtype(inputs: Iterable[Any], expected: torch.Tensor) -> torch.dtype:
    """The dtype that the output must have: a reference that was widened to float64 goes back to its inputs' dtype."""
    floating = [x.dtype for x in inputs if isinstance(x, torch.Tensor) and x.is_floating_point()]
    if expected.dtype != torch.float64 or not floating:
        return expected.dtype
    narrow = floating[0]
    for dtype in floating[1:]:
        narrow = torch.promote_types(narrow, dtype)
    return narrow


def _form(task: Task, name: str, got: TensorInfo, expected: torch.Tensor, dtype: torch.dtype) -> str:
    """What is wrong with the shape, dtype, device or strides; "" where nothing is."""
    name = _begun(name)
    if got.shape != tuple(expected.shape):
        return f"{name} has shape {got.shape}; expected {tuple(expected.shape)}."
    if got.dtype != dtype:
        return f"{name} is {_short(got.dtype)}; expected {_short(dtype)}."
    if got.device != expected.device.type:
        return f"{name} lies in the computer's own memory, the host; it must stay on the GPU."
    if getattr(task.module, "STRIDES_MATTER", False) and got.strides != expected.stride():
        return f"{name} has strides {got.strides}; expected {expected.stride()}."
    return ""


def _short(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")


@dataclass(frozen=True)
class Rounding:
    """What the rounding errors of one output are held against.

    `terms` is the counted length of sum, for a task that does not state it; `least` the least that counts as the
    output's root mean square; `narrow(bits)` yields the references whose operands are rounded to that many bits.
    """

    terms: int
    least: float
    narrow: Callable[[int], Iterator[torch.Tensor]]


@dataclass(frozen=True)
class Tolerance:
    """How far an element may be off: `relative` times its size, plus `absolute`."""

    relative: float
    absolute: float

    @classmethod
    def of(cls, dtype: torch.dtype, sum_length: int, expected: torch.Tensor, least: float = 0.0) -> Tolerance:
        """The tolerance for outputs of `dtype` whose elements sum `sum_length` terms.

        With u the unit roundoff: 4 u for one operation; for a sum of K terms 8 sqrt(K) u of the element and of the
        outputs' root mean square, since rounding errors of the order u add like a random walk (N. Higham, "Accuracy and
        Stability of Numerical Algorithms", section 2.8). A result computed in half precision or TF32, 2**-11 off, fails
        for every K below some hundred thousand. `least` is the least that counts as the root mean square.
        """
        if not (dtype.is_floating_point or dtype.is_complex):
            return cls(0.0, 0.0)
        info = torch.finfo(dtype)
        if sum_length <= 1:
            return cls(2 * info.eps, info.smallest_normal)
        relative = 4 * math.sqrt(sum_length) * info.eps
        return cls(relative, relative * max(_rms(expected), least) + info.smallest_normal)

    def close(self, got: torch.Tensor, expected: torch.Tensor) -> torch.Tensor:
        """For each element whether it is right; NaN and infinity are right where the reference has them."""
        if not (got.is_floating_point() or got.is_complex()):
            return got == expected
        rounded = expected.to(got.dtype)  # a large reference is an infinity in a narrow dtype
        same = (got == rounded) | (got.isnan() & rounded.isnan())
        off = (got.to(expected.dtype) - expected).abs()
        near = off <= self.absolute + self.relative * expected.abs()
        return torch.where(rounded.isfinite() & got.isfinite(), near, same)


def _rms(x: torch.Tensor) -> float:
    """Root mean square of the finite elements, 0 where there are none."""
    total, count = 0.0, 0
    flat = x.reshape(-1)
    for a, b in _slices(0, flat.numel(), x.element_size()):
        part = flat[a:b][flat[a:b].isfinite()].abs().double()
        total, count = total + float(part.square().sum()), count + part.numel()
    return math.sqrt(total / count) if count else 0.0


def _slices(start: int, stop: int, itemsize: int) -> Iterator[tuple[int, int]]:
    step = SLICE_BYTES // itemsize
    for a in range(start, stop, step):
        yield a, min(a + step, stop)


def _ranges(x: torch.Tensor) -> list[tuple[int, int]]:
    """The ranges of `x`, flat, that are compared: all of it, or its ends and some slices where it is large."""
    n, size = x.numel(), x.element_size()
    if n * size <= SAMPLED_BYTES:
        return list(_slices(0, n, size))
    length = SAMPLE_BYTES // size
    draw = random.SystemRandom()
    starts = {0, n - length, *(draw.randrange(n - length) for _ in range(SAMPLES))}
    return [(start, start + length) for start in sorted(starts)]


def _compare_values(
    worker: Worker,
    task: Task,
    inputs: Mapping[str, Any],
    changed: Sequence[str],
    name: str,
    info: TensorInfo,
    expected: torch.Tensor,
    rounding: Rounding,
) -> CaseResult:
    stated = task.sum_length
    length = counted_length(info.dtype, rounding.terms) if stated is None else stated
    tolerance = Tolerance.of(info.dtype, length, expected, rounding.least)
    flat, ranges = expected.reshape(-1), _ranges(expected)
    count = 0
    examples: list = []
    for start, stop in ranges:
        got, wanted = worker.fetch(info, start, stop).to(expected.device), flat[start:stop]
        places = (~tolerance.close(got, wanted)).nonzero().view(-1)
        count += len(places)
        for i in places[: EXAMPLES - len(examples)].tolist():
            position = _position(start + i, info.shape)
            examples.append(Example(position, _number(got[i]), _number(wanted[i].to(info.dtype))))
    looked = sum(stop - start for start, stop in ranges)
    sampled = "" if looked == info.numel else f" looked at (a sample: {info.numel} in all)"
    if not count and stated is None and ranges and (pattern := _narrow_operands(got, wanted, start, rounding)):
        return CaseResult("", False, f"{_begun(name)} is close to what it must be.", pattern)
    if not count:
        return CaseResult("", True, f"{looked} {'element is' if looked == 1 else f'elements{sampled} are'} right.")
    pattern = ""
    if len(ranges) == 1 and not sampled:
        whole = got.view(info.shape)
        tensors = {name: x for name, x in inputs.items() if isinstance(x, torch.Tensor)}
        mistakes = _mistakes(task, inputs.values())
        wrong = Wrong(whole, expected, tolerance.close, tensors, mistakes, changed, rounding.narrow)
        pattern = diagnose(wrong) or _other_weights(task)
    seen = f"{count} of {looked} element{'s' * (looked != 1)} of {name}{sampled} {'is' if count == 1 else 'are'} wrong."
    result = CaseResult("", False, seen, pattern, tuple(examples), info.numel)
    if len(ranges) == 1 and count < looked == info.numel:  # a map of nothing but wrong elements says nothing
        result = replace(result, places=Places.of(~tolerance.close(whole, expected)))
    return result


def _narrow_operands(got: torch.Tensor, expected: torch.Tensor, start: int, rounding: Rounding) -> str:
    """The sentence where `got`, flat, is off by what narrow operands cost, though within the tolerance of its sums.

    `start` is the place of its first element in the output. Errors of some units in the last place need no look.
    """
    if got.dtype != torch.float32 or _rms(got - expected) <= 4 * torch.finfo(got.dtype).eps * _rms(expected):
        return ""
    for bits in NARROW:
        for other in rounding.narrow(bits):
            if from_narrow_operands(got, expected, other.reshape(-1)[start : start + len(got)]):
                return narrow_operands(bits)
    return ""


def _other_weights(task: Task) -> str:
    """What may be wrong where nothing better is known and the task's `Model` has weights."""
    with suppress(Exception):  # a Model may need more than the meta device has
        if any(True for _ in task.model(task.module.Model, 0, "meta").parameters()):
            return (
                "Are these the weights of Model? ModelNew must make the same layers and parameters in the same order, "
                "since both are made from the same seed."
            )
    return ""


def _position(index: int, shape: tuple[int, ...]) -> str:
    places = []
    for length in reversed(shape):
        index, place = divmod(index, length)
        places.append(place)
    return str(places[::-1])


def _number(x: torch.Tensor) -> str:
    return f"{x.item():.7g}" if x.is_floating_point() else str(x.item())


def _mistakes(task: Task, inputs: Iterable[Any]) -> dict[str, torch.Tensor]:
    mistakes = getattr(task.module, "mistakes", None)
    wide = [x.double() if isinstance(x, torch.Tensor) and x.is_floating_point() else x for x in inputs]
    return mistakes(*wide) if mistakes else {}


def _time(
    answer: Answer, peer: Answer, task: Task, seed: int, verdict: Verdict, say: Callable, start: Callable[..., Worker]
) -> None:
    """Time the answer beside `peer` at the largest size that fits, into `verdict`; its values are checked there.

    The clock is this process's own; student and peer, each in a worker of its own, take turns. The time of a call
    is that of 2 R calls less that of R, over R: what a request costs cancels out.
    """
    named = next(((name, sizes) for name, sizes in task.named_sizes if _fits(task.sized(sizes))), None)
    if named is None:
        return
    name, sizes = named
    case = Case(sizes)
    verdict.timed_sizes = _integers(task.sized(sizes))
    if peer.kind != "model":
        verdict.timed_beside = "the solution"
    if moves := getattr(task.sized(sizes).module, "bytes_moved", None):
        verdict.timed_bytes = moves()
    say(f"Timing with {verdict.timed_sizes}")
    for _ in range(2):
        try:
            result, hazards, laps = _race(answer, peer, task, case, seed, verdict.toolchain, start)
            break
        except _PeerFailed as error:
            failed = error
    else:
        raise RefereeFailed(f"What the answer is timed against failed twice beside it: {failed}") from failed
    verdict.cases.append(replace(result, inputs=f"{name}: {verdict.timed_sizes}"))
    verdict.hazards += hazards
    if verdict.correct:
        verdict.laps = laps
        verdict.candidate_ms, verdict.reference_ms = map(statistics.median, laps)


def _race(
    answer: Answer, peer: Answer, task: Task, case: Case, seed: int, toolchain: str, start: Callable[..., Worker]
) -> tuple[CaseResult, list[Hazard], tuple[list[float], ...]]:
    """The result of `case`, which is run and then timed beside `peer`; what hazards there were; and the laps.

    Raises CannotJudge where the peer fails alone, _PeerFailed where it fails beside the answer.
    """
    laps: tuple[list[float], ...] = ()
    with start(toolchain, 60) as student, Worker(toolchain, timeout=60) as model:
        _start_peer(model, peer, task, case, seed)
        try:
            student.load("answer", answer, task)
            outcome = student.run("answer", task, case, seed)
            result, hazards, _ = _judge_outcome(student, task, case, seed, outcome)
            torch.cuda.empty_cache()  # the workers are other processes: what is cached here is lost to them
            if result.passed and not hazards:
                laps = _laps(functools.partial(_clock, student), functools.partial(_peers_clock, model))
                # The last timed call must have done the work as well.
                result, hazards, _ = _judge_outcome(student, task, case, seed, outcome)
                torch.cuda.empty_cache()
            return result, hazards, laps
        except (BuildError, AnswerError, WorkerLost) as error:
            return CaseResult("", False, str(error)), [], laps


def _start_peer(worker: Worker, peer: Answer, task: Task, case: Case, seed: int) -> None:
    """Run the peer once. Raises CannotJudge where it fails, which is no fault of the answer beside it."""
    try:
        worker.load("answer", peer, task)
        failure = worker.run("answer", task, case, seed).failure
    except (BuildError, AnswerError, WorkerLost) as error:
        failure = error
    if failure:
        raise CannotJudge(f"What the answers to {task.name} are timed against fails itself: {failure}.")


def _fits(task: Task) -> bool:
    # The worker that holds the reference's tensors and the student's are alive together; half of one is to spare.
    return 2.5 * task.footprint()[0] < free_memory("cuda")


def _laps(*clocks: Callable[[int], float]) -> tuple[list[float], ...]:
    """Milliseconds of one call by each of the clocks, which time as many calls as they are told; round for round."""
    counts = []
    for clock in clocks:
        clock(3)
        counts.append(max(1, min(200, math.ceil(TIMED_SECONDS / max(clock(1), 1e-6)))))
    laps: list[list[float]] = [[] for _ in clocks]
    for _ in range(TIMED_ROUNDS):
        for clock, count, lap in zip(clocks, counts, laps, strict=True):
            # In an order that no answer can know, which could be slow in one and quick in the other.
            seconds = {each: clock(each) for each in _SHUFFLED.sample((count, 2 * count), 2)}
            lap.append(max((seconds[2 * count] - seconds[count]) / count * 1e3, 1e-6))
    return tuple(laps)


def _clock(worker: Worker, count: int) -> float:
    start = time.perf_counter()
    worker.repeat("answer", count)
    return time.perf_counter() - start


def _peers_clock(worker: Worker, count: int) -> float:
    try:
        return _clock(worker, count)
    except (AnswerError, WorkerLost) as error:
        raise _PeerFailed(str(error)) from error
