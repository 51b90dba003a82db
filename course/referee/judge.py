"""`judge` runs the steps of one verdict: build, cases, tracing, timing.

References are computed only in this process. A worker returns only raw outputs, and what its tracer saw kernels do to
memory.
"""

import secrets
from collections.abc import Callable, Sequence
from dataclasses import replace

from course import build
from course.device import EMULATED, free_memory, this_gpu
from course.errors import ORDER, SIZE, BuildError, CannotJudge, Hazard, NotEmulated
from course.referee.memory import MemoryReport, trace_answer, trace_wrong_answer
from course.referee.timing import time_answer
from course.referee.trial import Judging, Trial, hazards_of, judge_outcome, not_run, with_meaning, worker_lost
from course.referee.verdict import CaseResult, Verdict, capitalized
from course.tasks import Case, Task, load_task
from course.toolchains.cache import require_writable
from course.toolchains.emulator.self_test import counting_problem
from course.worker.protocol import Answer, AnswerError, ForeignSymbols, WorkerLost
from course.worker.server import Server
from course.worker.worker import Worker

EMULATOR_BYTES = 256 << 20  # of tensors, which the emulator handles in seconds
EMULATOR_OPERATIONS = 4_000_000_000  # which the emulator runs in seconds


def judge(
    answer: Answer,
    task: Task | str,
    *,
    cases: Sequence[Case] | None = None,
    toolchain: str | None = None,
    timed: bool = False,
    baseline: Answer | None = None,
    traced: bool = True,
    progress: Callable[[str], object] | None = None,
    server: Server | None = None,
) -> Verdict:
    """Judge an answer on every case of a task. If it does not build, raises, crashes or hangs, its verdict says so.

    Without `cases`, the visible cases of the task are judged, and without `toolchain`, `course.build` chooses it. If
    `timed`, a right answer is timed beside `baseline` (default: the reference), which needs a GPU. If `traced`, its
    accesses to memory are traced, too; cases with a budget always are. `progress` is called with a line of text before
    each step. `server` starts the processes in which the answer runs, for example in a sandbox.

    Raises CannotJudge if the sizes are too large for this machine, if the answer needs something that the emulator does
    not have, if the reference itself fails, or if this machine cannot count the traffic that a case limits. Raises
    TaskError if there is no such task or it lacks a size, ToolchainMissing if the toolchain does not work here, and
    RefereeFailed if something else that the referee needs has failed.
    """
    task = load_task(task) if isinstance(task, str) else task
    cases = task.cases if cases is None else cases
    toolchain = build.usable_toolchain(toolchain).name
    require_writable()
    if any(case.budget for case in cases) and (problem := counting_problem()):
        raise CannotJudge(problem)
    seed = secrets.randbits(62)  # so many bits that nobody can invert `other_seed`
    judging = Judging(answer, task, cases, seed, toolchain, server, progress or (lambda line: None))
    device = "CPU (emulator)" if toolchain in EMULATED else this_gpu().name
    for trial in {tuple(trial.case.sizes.items()): trial for trial in judging.trials}.values():
        _check_size(trial, toolchain)
    verdict = Verdict(task.name, toolchain, device)
    with judging.worker() as worker:
        _build_and_judge(judging, worker, verdict)
        verdict.printed = worker.printed
        _, _, failed = verdict.handled.partition(": ")
        if "\n" in failed:  # a compiler's error, which the script may have printed each time that it was called
            verdict.printed = verdict.printed.replace(failed, "see above")
        if not verdict.correct and (lacking := worker.handled("lacking")):
            raise CannotJudge(f"{lacking}. The script went on without it. {verdict.message}")
    if verdict.correct and (any(case.budget for case in cases) or (traced and answer.kind != "python")):
        _add_memory_report(verdict, trace_answer(judging))
    elif traced and verdict.failed:
        trace_wrong_answer(judging, verdict, worker.sources)
    if timed and verdict.correct and toolchain not in EMULATED:
        found = time_answer(judging, baseline or Answer("model", ""))
        if found:
            result, hazards, verdict.timing = found
            verdict.cases.append(result)
            verdict.hazards += hazards
    return verdict


def _check_size(trial: Trial, toolchain: str) -> None:
    """Raise CannotJudge if the tensors of a case do not fit the device, or if the emulator would take minutes."""
    size, operations = trial.task.footprint()
    if toolchain in EMULATED:
        room, device = EMULATOR_BYTES, "emulator"
    else:
        room, device = free_memory("cuda") // 2, "GPU"  # the referee and the worker each hold the tensors
    if size > room:
        reason = f"{size / 2**20:,.0f} MiB of tensors, but there is room for only {room / 2**20:,.0f} MiB"
    elif toolchain in EMULATED and operations > EMULATOR_OPERATIONS:
        limit = f"{EMULATOR_OPERATIONS / 1e9:.0f} billion"
        reason = f"{operations / 1e9:,.0f} billion operations, but the limit is {limit}"
    else:
        return
    raise _too_large(trial, device, reason)


def _too_large(trial: Trial, device: str, reason: str) -> CannotJudge:
    smaller = " ".join(f"--set {name}=..." for name in trial.task.integers)
    fix = f"judge the answer with smaller sizes ({smaller})" if smaller else "the task file has no sizes to change"
    return CannotJudge(f"The sizes {trial.sizes} are too large for the {device} ({reason}): {fix}.")


def _require_emulated(judging: Judging, trial: Trial, hazards: Sequence[Hazard]) -> None:
    """Raise CannotJudge if hazards in `trial` may have their cause in a limit of the emulator."""
    for hazard in hazards:
        if hazard.emulator_limit == ORDER:
            raise CannotJudge(
                f"The answer could not be judged, since the emulator cannot run it. {capitalized(hazard.detail)}: let "
                "a second launch do what must wait for all blocks, or judge the answer on a GPU."
            )
        # The course's own cases are small enough for any answer that does not work too much.
        if hazard.emulator_limit == SIZE and (judging.task.foreign or judging.task.sizes):
            raise _too_large(trial, "emulator", hazard.detail)


def _build_and_judge(judging: Judging, worker: Worker, verdict: Verdict) -> None:
    """Build the answer and judge every case; the results are added to `verdict`."""
    try:
        if judging.answer.kind != "python":
            judging.progress(f"{judging.toolchain} builds {judging.answer.function}")
        worker.load("answer", judging.answer, judging.task)
    except NotEmulated:
        raise
    except BuildError as error:
        verdict.compiled, verdict.problem = False, str(error)
    except AnswerError as error:
        verdict.compiled, verdict.problem = False, with_meaning(str(error), str(error))
    except ForeignSymbols as error:
        verdict.hazards = hazards_of(error)
        verdict.cases = [not_run(trial.name) for trial in judging.trials]
        verdict.cases[:1] = [replace(worker_lost(error), inputs=case.inputs) for case in verdict.cases[:1]]
    except WorkerLost as error:
        verdict.compiled, verdict.problem = False, f"While the answer was built: {error}"
        verdict.hazards += hazards_of(error)
    else:
        verdict.cases, verdict.hazards = _judge_cases(judging, worker)
    handled = [case.handled for case in verdict.cases] if verdict.compiled else [worker.handled("failed")]
    verdict.handled = next(filter(None, handled), "")


def _judge_cases(judging: Judging, worker: Worker) -> tuple[list[CaseResult], list[Hazard]]:
    """Judge all cases until the worker is lost, and return the result of each case and all hazards."""
    results: list[CaseResult] = []
    found: list[Hazard] = []
    lost = False
    for trial in judging.trials:
        if lost:
            results.append(not_run(trial.name))
            continue
        judging.progress(f"Case {trial.number + 1} of {len(judging.trials)}: {trial.name}")
        try:
            outcome = worker.run("answer", trial.task, trial.case, trial.seed)
            result, hazards, lost = judge_outcome(worker, trial, outcome)
        except WorkerLost as error:
            result, hazards, lost = worker_lost(error), hazards_of(error), True
        if hazards and all(each.passed for each in results):
            _require_emulated(judging, trial, hazards)
        handled = worker.handled("failed") if hazards or not result.passed else ""
        results.append(replace(result, inputs=trial.name, handled=handled))
        # A hazard that was already found in an earlier case says nothing new.
        seen = {(hazard.kind, hazard.kernel) for hazard in found}
        found += [hazard for hazard in hazards if (hazard.kind, hazard.kernel) not in seen]
    return results, found


def _add_memory_report(verdict: Verdict, report: MemoryReport) -> None:
    """Add to the verdict what was found when the answer was traced."""
    verdict.hazards += report.hazards
    verdict.traffic, verdict.counted, verdict.untraced = report.traffic, report.counted, report.untraced
    verdict.demand, verdict.lines = report.demand, report.lines
    if report.problem:
        verdict.compiled, verdict.problem = False, report.problem
    for number, result in report.results.items():
        verdict.cases[number] = replace(result, inputs=verdict.cases[number].inputs)
    if verdict.correct:
        verdict.remarks = report.remarks
