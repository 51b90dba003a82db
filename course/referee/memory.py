"""What a traced answer does: which cases are traced, the hazards that are found, and budgets of traffic and work."""

import itertools
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

import torch

from course.errors import BuildError, Hazard, NotEmulated
from course.explain.counts import SECTOR, WIDEST, Lines, Traffic, Work, busiest, busiest_line, in_global
from course.explain.from_trace import Stores
from course.explain.limits import Demand
from course.explain.rules import KNOWN, SEEN, Evidence, explain, may_supersede, supersedes
from course.explain.texts import Found, say
from course.referee.trial import Judging, Trial, failure_sentence, hazards_of, judge_outcome
from course.referee.values import paired_parts
from course.referee.verdict import OF_AN_ACCESS, TOO_MUCH, WRONG, CaseResult, Verdict, capitalized
from course.tasks import ASKS_FOR_ONE_THREAD, Case
from course.toolchains.base import Source
from course.worker.protocol import AnswerError, ForeignSymbols, Outcome, TensorInfo, TimedOut, WorkerLost
from course.worker.recording import tensors_in
from course.worker.worker import Worker

TRACED_ACCESSES = 500_000  # about as many accesses as the emulator traces in a tenth of a second
SMALL_BYTES = 16_384  # of tensors: even work that grows with the square of their elements is traced in seconds
TO_HOST_BYTES = 64  # that a wrapper may read on the host: a few numbers, but no tensor
# The bytes in each unit of `Case.budget`: in one sector, and in one request in which each lane gets 16 bytes.
HELD = {"sectors": SECTOR, "requests": WIDEST}
# The attribute of `Work` that a budget limits in each launch, for each count of work.
WORK = {
    "threads": "threads",
    "threads_along_x": "threads_along_x",
    "blocks": "blocks",
    "idle_threads": "idle",
    "atomics_per_address": "contended",
    "threads_per_element": "writers",
    "elements_per_thread": "most_stored",
    "requests_per_warp": "busiest_warp",
    "barriers": "barriers",
    "unoverlapped_copies": "unoverlapped",
    "tensor_sums": "tensor_sums",
}
# What a call must do at all, to keep a budget of work.
NEEDED = {"unoverlapped_copies": "copied", "tensor_sums": "tensor_sums"}
_UNSHARED = ("one_does_all", "each_does_all", "stored_again")
# The rules that say more about a launch over the budget than the count does.
DIAGNOSES = {"threads_per_element": _UNSHARED, "elements_per_thread": _UNSHARED, "idle_threads": ("idle_threads",)}
_SHARING = re.compile(r"__shared__|__pipeline_")  # threads exchange data


class TracingTooSlow(Exception):
    """Tracing an answer takes too much time or memory."""


@dataclass
class MemoryReport:
    """What tracing a right answer has found.

    `results` has new results for the cases that the traced call decides, by the number of the case. `traffic` is what
    the kernels requested from memory in the largest traced case, and `counted` is the name of this case. `demand` and
    `remarks` are about the same case; remarks cost no points. `untraced` says why a case could not be traced. `problem`
    says why the answer could not be built or run again. `lines` is the text that line numbers refer to.
    """

    hazards: list[Hazard] = field(default_factory=list)
    results: dict[int, CaseResult] = field(default_factory=dict)
    traffic: tuple[Traffic, ...] = ()
    demand: Demand | None = None
    counted: str = ""
    remarks: list[str] = field(default_factory=list)
    untraced: str = ""
    problem: str = ""
    lines: Lines = field(default_factory=Lines)

    def decides(self, trial: Trial) -> bool:
        """Whether the answer is already known to be wrong, so the next trial, `trial`, need not be traced."""
        failed = not trial.case.budget and not all(result.passed for result in self.results.values())
        return failed or bool(self.hazards)


def trace_answer(judging: Judging) -> MemoryReport:
    """Run the cases of `trials_to_trace` again and trace every access to memory, for hazards and traffic.

    An answer fails here if its values were right only by luck, for example despite a race or a read past the end. The
    emulator traces the answer even on a machine with a GPU, so marks are the same with and without a GPU. If tracing a
    case takes too much time or memory, but tracing a smaller case does not, the answer does not fail, and the report
    says so. But a case with a budget of traffic fails if nothing could be counted, and an answer fails if it no longer
    builds or runs when it is traced. Cases with a budget are traced first, since an answer that exceeds a budget need
    not be traced further.
    """
    judging.progress("Tracing its accesses to memory")
    report = MemoryReport()
    chosen = trials_to_trace(judging.trials)
    if not chosen and any(trial.case.expect == "value" for trial in judging.trials):
        report.untraced = "Every case is too large to be traced."
        return report
    if judging.answer.kind == "python":
        report.untraced = "the answer is Python, and only the requests of a CUDA kernel can be counted."
        chosen, uncounted = [], {trial.number for trial in judging.trials if trial.case.budget}
    else:
        uncounted = {trial.number for trial in chosen if trial.case.budget}
    largest = chosen[:1]
    reordered = [trial for trial in chosen if not trial.case.budget][:2] or largest
    chosen.sort(key=lambda trial: not trial.case.budget)
    while chosen and not report.decides(chosen[0]):
        with judging.traced_worker() as worker:
            try:
                worker.load("answer", judging.answer, judging.task)
                while chosen and not report.decides(chosen[0]):
                    trial = chosen.pop(0)
                    _trace_case(judging, worker, trial, report, trial in largest)
                    uncounted.discard(trial.number)
                right = all(result.passed for result in report.results.values()) and not report.hazards
                if right and not report.untraced:
                    _run_reordered(judging, worker, reordered, report)
            except TracingTooSlow as error:
                if report.untraced:  # tracing a smaller case was also too slow
                    report.hazards.append(Hazard("timeout", f"When the answer was traced: {error}"))
                report.untraced = str(error)
            except NotEmulated:
                raise
            except (BuildError, AnswerError) as error:
                report.problem = f"The answer failed when it was built and run again for tracing. {error}"
                return report
            except ForeignSymbols as error:
                report.hazards += hazards_of(error)
            except WorkerLost as error:
                report.hazards.append(Hazard("crash", f"When the answer was traced: {error}"))
    if report.untraced:
        report.results |= {number: _not_counted(report.untraced) for number in uncounted}
    return report


def _trace_case(judging: Judging, worker: Worker, trial: Trial, report: MemoryReport, largest: bool) -> None:
    """Trace one case, into `report`. Raises AnswerError if the call fails, TracingTooSlow if it takes too long."""
    case = trial.case
    counting = bool(case.budget) or largest or not report.counted
    try:
        outcome = worker.run("answer", trial.task, case, trial.seed, counting)
    except WorkerLost as error:
        if _is_too_much(error):
            raise TracingTooSlow(str(error)) from error
        raise
    report.lines = judging.lines(worker.sources)
    if failure := outcome.failure:
        # A timeout here is caused by the tracing, since the call did not take too long before.
        report.hazards += [hazard for hazard in failure.hazards if hazard.kind != "timeout"]
        if not failure.hazards:
            raise AnswerError(failure_sentence(failure))
        if not report.hazards:
            raise TracingTooSlow(failure_sentence(failure))
    elif outcome.to_host > TO_HOST_BYTES:
        report.hazards.append(Hazard("library-call", say(Found("read_on_host", {"bytes": outcome.to_host}))))
    elif counting and not (outcome.traffic or outcome.uncounted) and _must_write(trial, outcome):
        report.hazards.append(Hazard("library-call", say(Found("no_requests"))))
    else:
        if largest or not report.counted:
            report.counted, report.traffic = str(replace(case, budget={})), outcome.traffic
            report.demand = _demand(trial, outcome)
            report.remarks = needless_work(outcome.work)
            report.remarks += [f"{capitalized(each)}." for each in outcome.remarks]
        # The values of the traced call itself are judged, because an answer can find out that it is traced.
        result, hazards, _ = judge_outcome(worker, trial, outcome)
        if case.budget:
            result = check_traffic_budget(result, trial, outcome, report.lines)
        if case.budget or not result.passed:
            report.results[trial.number] = result
        report.hazards += hazards


def _is_too_much(error: WorkerLost) -> bool:
    """Whether a call took too much time or memory, as it may only if it is traced or waits for another block."""
    return isinstance(error, TimedOut) or getattr(error, "signal", "") == "SIGKILL"


def _run_reordered(judging: Judging, worker: Worker, trials: Sequence[Trial], report: MemoryReport) -> None:
    """Run right cases again with blocks and threads in another order: reversed, then mixed by the seed.

    If the task is REPRODUCIBLE, both orders must give the same bits of the same case. A call that takes too long says
    nothing, since a block may wait for what an earlier one does.
    """
    reproducible, bits = getattr(judging.task.module, "REPRODUCIBLE", False), None
    for order, trial in zip((1, judging.seed), itertools.cycle(trials[:1] if reproducible else trials), strict=False):
        try:
            outcome = worker.run("answer", trial.task, trial.case, trial.seed, order=order)
            result, hazards, _ = judge_outcome(worker, trial, outcome)
        except WorkerLost as error:
            if _is_too_much(error):
                return
            raise
        if any(hazard.kind == "timeout" for hazard in hazards):
            continue
        if hazards or not result.passed:
            seen = result.seen.rstrip(".")
            kind = "atomic" if "atomic" in judging.answer.source else "plain"
            report.hazards += hazards or [Hazard("race", say(Found("other_order", {"case": kind, "seen": seen})))]
            return
        if reproducible:
            before, bits = bits, [worker.fetch(info) for _, info, _ in paired_parts(outcome.result, outcome.result, "")]
            if before and not all(map(_equal, before, bits)):
                report.hazards.append(Hazard("race", say(Found("other_bits"))))


def _equal(one: torch.Tensor, other: torch.Tensor) -> bool:
    """Whether two results have the same numbers, and NaN in the same places."""
    return torch.allclose(one, other, rtol=0, atol=0, equal_nan=True)


def _must_write(trial: Trial, outcome: Outcome) -> bool:
    """Whether a kernel has elements to write. If an input is empty, a wrapper may return zeros without a kernel."""
    inputs = trial.task.inputs(trial.case, trial.seed, "cpu")
    parts = [info for _, info, _ in paired_parts(outcome.result, outcome.result, "") if isinstance(info, TensorInfo)]
    return all(x.numel() for x in tensors_in(inputs)) and any(info.numel for info in parts)


def trace_wrong_answer(judging: Judging, verdict: Verdict, sources: Sequence[Source]) -> None:
    """Trace one failed case of a wrong answer if the trace may say more than the values, and add this to `verdict`.

    If an access is out of bounds or misaligned and its line is unknown, or if elements were never written, the largest
    such case that takes only a moment is traced: the work of the threads shows the cause. If threads exchange data, or
    nothing names the mistake, the smallest failed case is traced. `sources` are the sources that were built. If nothing
    is found, the verdict does not change.
    """
    first = verdict.failed[0]
    failed = {number: case for number, case in enumerate(verdict.cases) if not case.passed}
    mistake, place, unwritten = WRONG, slice(-1, None), False
    nowhere = [hazard.kind for hazard in verdict.hazards if hazard.kind in OF_AN_ACCESS and not hazard.where]
    if nowhere:
        mistake, place = nowhere[0], slice(1)
    elif verdict.hazards:
        if first.mistake == "timeout":
            _explain_timeout(judging, verdict, first)
        return
    elif first.unwritten and may_supersede("stores", first.found):
        place, unwritten = slice(1), True
        failed = {number: case for number, case in failed.items() if case.unwritten}
    elif first.telling > SEEN and not any(_SHARING.search(source.cuda) for source in sources):
        return
    numbers = {number for number, case in failed.items() if case.mistake == mistake}
    chosen = [trial for trial in trials_to_trace(judging.trials) if trial.number in numbers][place]
    if not chosen:
        return
    (trial,) = chosen
    judging.progress("Looking for the line")
    found: list[Hazard] = []
    with judging.traced_worker() as worker, suppress(BuildError, AnswerError, WorkerLost):
        worker.load("answer", judging.answer, judging.task)
        outcome = worker.run("answer", trial.task, trial.case, trial.seed, counting=unwritten)
        hazards = outcome.failure.hazards if outcome.failure else ()
        found = [each for each in hazards if each.where and mistake in (each.kind, WRONG)]
        case = verdict.cases[trial.number]
        if unwritten and case.unwritten:
            why = explain(Evidence(stores=Stores.of(outcome.work, case.unwritten, trial.task.integers)))
            if why and supersedes(why, case.found):
                verdict.cases[trial.number] = replace(case, found=why, telling=KNOWN)
    if found:
        verdict.hazards = found + [each for each in verdict.hazards if each.where or each.kind != mistake]


def _explain_timeout(judging: Judging, verdict: Verdict, first: CaseResult) -> None:
    """Explain a timeout in `first` by work that threads repeat needlessly in a case that passed."""
    passed = [trial for trial in trials_to_trace(judging.trials) if verdict.cases[trial.number].passed]
    small = [trial for trial in passed if trial.task.footprint()[0] <= SMALL_BYTES]
    if not small:
        return
    trial = small[0]
    with judging.traced_worker() as worker, suppress(BuildError, AnswerError, WorkerLost):
        worker.load("answer", judging.answer, judging.task)
        outcome = worker.run("answer", trial.task, trial.case, trial.seed, counting=True)
        for remark in needless_work(outcome.work)[:1]:
            found = Found("slow_where_right", {"inputs": trial.name, "remark": remark})
            verdict.cases[verdict.cases.index(first)] = replace(first, found=found)


def check_traffic_budget(result: CaseResult, trial: Trial, outcome: Outcome, lines: Lines) -> CaseResult:
    """The `result` of a call whose requests were counted; it fails if the call used more than the case allows.

    `lines` is the text that line numbers refer to.
    """
    if not result.passed:
        return result
    for count, budget in trial.case.budget.items():
        if count in WORK:  # this depends only on how the launches spread their work, not on copies
            problem = "" if outcome.work else outcome.uncounted or "no launch was seen."
        else:
            problem = outcome.uncounted
        if problem:
            return _not_counted(problem)
        if less := _work_outside(trial, outcome, count):
            return replace(result, passed=False, seen=say(less), mistake="work outside of the kernels")
        if more := _over(outcome, lines, count, trial.case):
            names_line = count in (*HELD, "wavefronts")
            words = list(map(say, more))
            if count in (*HELD, "barriers") and (clue := getattr(trial.task.module, "CLUE", "")):
                words, names_line = [words[0], clue], False
            line = busiest(outcome.traffic, count).line if names_line else 0
            return replace(result, passed=False, seen=" ".join(words), mistake=TOO_MUCH, line=line)
        if count in HELD:
            asked = in_global(outcome.traffic, count)
            result = replace(
                result, seen=f"{result.seen} The kernels make {asked:,} {count}; at most {budget:,} are allowed."
            )
    return result


def _demand(trial: Trial, outcome: Outcome) -> Demand | None:
    """What a counted call asks of a card; None if that is not known."""
    if outcome.uncounted or not outcome.work:
        return None
    blocks, busiest_block = sum(work.blocks for work in outcome.work), max(work.busiest_block for work in outcome.work)
    demand = Demand.of(outcome.traffic, blocks, busiest_block, outcome.sectors_touched)
    operations = getattr(trial.task.module, "operations", None)
    return replace(demand, operations=int(operations())) if operations else demand


def _over(outcome: Outcome, lines: Lines, count: str, case: Case) -> list[Found]:
    """What to say if the call has more of `count` than the budget of `case`; nothing if it has not."""
    facts: dict[str, object] = {"budget": case.budget[count], "asks": case.asks}
    facts["but"] = say(Found("but", {"case": "asks" if case.asks else "enough", **facts}))
    if count in WORK:
        return over_work(outcome.work, count, case.budget[count], facts)
    totals = {
        "sectors_touched": outcome.sectors_touched,
        "wavefronts": sum(line.units for line in outcome.traffic if line.space == "shared"),
        "store_wavefronts": sum(x.units for x in outcome.traffic if (x.space, x.op) == ("shared", "store")),
        "l1_wavefronts": Demand.of(outcome.traffic, 0, 0).l1_wavefronts,
    }
    facts["total"] = total = totals[count] if count in totals else in_global(outcome.traffic, count)
    if total <= case.budget[count]:
        return []
    if count in (*HELD, "wavefronts"):
        facts |= busiest_line(outcome.traffic, count, lines)
    found = [Found(f"over_{count}", facts)]
    if count in HELD:
        wasteful = busiest(outcome.traffic, count).is_wasteful(count)
        found += [Found("most_asked", facts), Found("fewer", {"case": count if wasteful else "again"})]
        again = [explain(Evidence(work=work)) for work in outcome.work if 2 * work.repeated > work.elements]
        found += filter(None, again)
    return found


def over_work(launches: Sequence[Work], count: str, budget: int, facts: Mapping[str, object]) -> list[Found]:
    """What to say if a launch exceeds the budget of a count of work; `facts` are those of the sentence."""
    worst = max(launches, key=lambda work: getattr(work, WORK[count]))
    total = getattr(worst, WORK[count])
    if count in NEEDED and not any(getattr(work, NEEDED[count]) for work in launches):
        return [Found(f"no_{count}", facts)]
    if total <= budget:
        return []
    diagnoses = DIAGNOSES.get(count, ())
    found = explain(Evidence(work=worst)) if diagnoses else None
    if found and found.id == "one_does_all" and facts.get("asks") not in (None, "", ASKS_FOR_ONE_THREAD):
        found = None  # its advice is one thread per element
    known = found and found.id in diagnoses
    return [found if found and known else Found(f"over_{count}", {**facts, "total": total, "work": worst})]


def needless_work(launches: Sequence[Work]) -> list[str]:
    """A sentence for each launch that does something in vain, which a right answer can do too."""
    return list(dict.fromkeys(say(found) for work in launches if (found := explain(Evidence(work=work)))))


def _work_outside(trial: Trial, outcome: Outcome, count: str) -> Found | None:
    """What to say if the kernels request fewer bytes than the inputs and the output have."""
    if count not in HELD:
        return None
    requested, module = in_global(outcome.traffic, count), trial.task.module
    size = getattr(torch, trial.case.dtype or "float32").itemsize
    least = module.bytes_moved() * size // 4 // HELD[count] if hasattr(module, "bytes_moved") else 1  # it is of float32
    facts = {"requested": requested, "least": least, "count": count}
    return Found("work_outside", facts) if requested < least else None


def _not_counted(reason: str) -> CaseResult:
    seen = say(Found("not_counted_for_question", {"reason": reason}))
    return CaseResult("", False, seen, mistake="not counted")


def trials_to_trace(trials: Sequence[Trial]) -> list[Trial]:
    """The cases that can be traced in a moment, and all cases with a budget of traffic; the largest come first.

    Of the cases without a budget, these are the largest that can be traced in a moment, which has more than one block
    and more than one tile, and the smallest, which test the edges.
    """
    costs: list[tuple[int, int]] = []  # the approximate accesses of a case, and its number
    for trial in trials:
        if trial.case.expect == "value":
            operations = getattr(trial.task.module, "operations", None)
            costs.append((trial.task.footprint()[0] // 4 + (operations() if operations else 0), trial.number))
    costs.sort()
    fitting = [each for each in costs if each[0] <= TRACED_ACCESSES and not trials[each[1]].case.budget]
    fitting = fitting[-1:] + fitting[:-1]
    totals = itertools.accumulate(cost for cost, _ in fitting)
    chosen = {number for total, (_, number) in zip(totals, fitting, strict=True) if total <= TRACED_ACCESSES}
    return [trials[number] for _, number in reversed(costs) if number in chosen or trials[number].case.budget]
