"""Makes hazards and remarks of what the emulator's runtime reports, and finds out how to fix a race or a barrier."""

import re
from collections.abc import Iterable, Sequence
from typing import Any

from course.errors import ORDER, SIZE, Hazard
from course.explain.from_source import SourceText, careless_launch, no_first_value
from course.explain.reports import REMARK, Reason, Report, SubjectKind
from course.explain.texts import Found, indices, say
from course.text.cuda import CudaText, cited, line_of
from course.text.syntax import within

READS, _, ATOMIC, ASYNCHRONOUS = range(4)  # by the numbers of `tracer::operation`
COPY_KINDS = ("cudaMemcpyHostToHost", "cudaMemcpyHostToDevice", "cudaMemcpyDeviceToHost", "cudaMemcpyDeviceToDevice")
UNSIGNED = 2**64  # a number modulo this is its value as an unsigned 64-bit integer in C++


def found_of(report: Report, source: str = "") -> Found:
    """What the sentence about a report needs. The number of a line comes with its text from `source`."""
    code = CudaText.of(source).without_comments
    lines = [cited(code, place.line) if place.line else "?" for place in report.places]
    known: dict[str, Any] = {
        "subject": report.subject,
        "name": report.subject.name,
        "number": report.places[0].line if report.places else 0,
        "where": f"line {lines[0]}" if report.places and report.places[0].line else "the wrapper",
        "place": list(report.subject.sizes),
        **dict(zip(("line", "line_before"), lines, strict=False)),
        **report.facts,
    }
    if "line" in report.facts:
        known["line"] = cited(code, report.facts["line"])
    for name in ("size", "address", "index"):  # a pointer, a size, or an index that is not known to be negative
        if name in known and (name != "index" or known["wrapped"]):
            known[name] %= UNSIGNED
    return Found(report.reason.id, {**known, **_case(report, source)})


def refused_call(described: str) -> dict[str, str]:
    """The facts about a refused call through a pointer; `described` is a function and, on the next line, a library."""
    called, _, library = described.partition("\n")
    return {"called": called or "code without a name", "library": library or "no library"}


def _case(report: Report, source: str) -> dict[str, Any]:
    """Which of the sentences about its reason a report needs, and the facts that only this sentence has."""
    facts = report.facts
    match report.reason:
        case Reason.TOO_MANY_THREADS:
            return {"threads": facts["x"] * facts["y"] * facts["z"] % UNSIGNED}
        case Reason.BARRIER_NOT_REACHED:
            line = source.splitlines()[report.places[0].line - 1 :][:1] if report.places else ""
            return {"barrier": "__syncthreads()" if "__syncthreads" in "".join(line) else "barrier"}
        case Reason.TIMEOUT:
            limit = _emulator_limit(report, source) or "endless"
            return {"seconds": facts["milliseconds"] / 1000, "case": limit}
        case Reason.HOST_FUNCTION:
            return {"case": "named" if report.subject.name else "unnamed"}
        case Reason.REFUSED_CALL:
            return refused_call(report.subject.name)
        case Reason.INDEX_OUTSIDE | Reason.INDEX_OUTSIDE_ON_HOST:
            return {"case": "wrapped" if facts["wrapped"] else "beyond"}
        case Reason.WRITTEN_OUTSIDE:
            return {"case": "one" if facts["count"] == 1 else "several"}
        case Reason.RACE:
            lines = "copy_in_flight" if facts["in_flight"] else "two_lines"
            return {"case": "one_line" if facts["same_site"] else lines}
        case Reason.UNWRITTEN_READ:
            return {"case": "shared" if report.subject.is_shared else "tensor"}
        case Reason.HOST_ACCESS | Reason.FREED_ACCESS:
            return {"case": "line" if report.places else "wrapper"}
        case Reason.UNORDERED:
            return {"case": ("copies", "launch", "launches")[len(report.places)]}
        case Reason.NOT_WAITED | Reason.NOT_JOINED:
            return {"case": "launch" if report.places else "copies"}
        case Reason.COPY_KIND:
            return {name: COPY_KINDS[facts[name] % len(COPY_KINDS)] for name in ("kind", "right")}
        case _ if "results" in facts:
            return {"result": f"result {facts['result']}" if facts["results"] > 1 else "the result"}
    return {}


def hazards_and_remarks(reports: Sequence[Report], source: str) -> tuple[tuple[Hazard, ...], tuple[str, ...]]:
    """The hazards and the remarks of a traced call, each once, with blocks and threads.

    `reports` have the lines of all places. The lines of `source` are cited, and the advice on a race depends on it.
    """
    racing = {(each.kernel, line) for each in reports if each.reason is Reason.RACE for line in each.lines}
    hazards: dict[tuple, Hazard] = {}
    text = SourceText.of(source, 0)
    unset = no_first_value(text)  # the tracer does not follow local variables
    remarks = [say(Found("no_first_value", unset)).rstrip(".")] if unset else []
    remarks += [say(Found("careless_launch", {"case": case, **more})) for case, more in careless_launch(text)]
    for report in reports:
        # A missing barrier also leads to reads of memory that was not written yet. That is one mistake, not two.
        if report.reason is Reason.UNWRITTEN_READ and racing & {(report.kernel, line) for line in report.lines}:
            continue
        if report.reason is Reason.LOST_UPDATE and not _discards(source, report.places[0].line):
            continue
        at = indices(report.places) if report.kernel else ""
        if report.reason.kind == REMARK:
            remarks.append(say(found_of(report, source)) + at)
        else:
            fix = _race_fix(report, reports, source) if report.reason is Reason.RACE else None
            key = report.reason.kind, report.kernel, tuple(report.lines)
            hazards.setdefault(key, hazard_of(report, source, fix, at))
    return tuple(hazards.values()), tuple(dict.fromkeys(remarks))


def sampled(launches: Iterable[tuple[str, int, int]]) -> str | None:
    """Which launches (kernel, blocks that ran, all blocks) were counted on a sample; None if none were."""
    found = [
        Found("sampled", {"kernel": kernel, "run": run, "blocks": blocks})
        for kernel, run, blocks in launches
        if run < blocks
    ]
    return "; ".join(dict.fromkeys(map(say, found))) or None


def hazard_of(report: Report, source: str, fix: Found | None = None, at: str = "") -> Hazard:
    """The hazard in a report of a call of a function in `source`, its `fix` if it is known, and the threads `at` it."""
    where = ({"line": at.line, "block": list(at.block), "thread": list(at.thread)} for at in report.places)
    seen, advice = say(found_of(report, source)), say(fix or _question(report, source))
    if report.reason is Reason.BARRIER_NOT_REACHED:
        seen += say(_barrier(report, source))
    return Hazard(
        report.reason.kind,
        f"{seen}; {advice}{at}" if advice else f"{seen}{at}",
        report.kernel,
        tuple(where),
        _emulator_limit(report, source),
        f"{seen}{at}" if advice else "",
        advice,
        report.reason.id,
    )


def _discards(source: str, line: int) -> bool:
    """Whether the exchange in a line is a statement of its own, so nobody looks at what it has replaced."""
    text = "\n".join(CudaText.of(source).blank.split("\n")[:line])
    return bool(re.search(r"(?:[;{}]|\belse|\b(?:if|for|while)\b[^;{}]*\))\s*atomicExch\w*\(.*\Z", text))


def _question(report: Report, source: str) -> Found | None:
    """What an access out of bounds leads to ask about guards and indices, and how to order streams."""
    facts = report.facts
    if fix := {
        Reason.LOST_UPDATE: "exchange",
        Reason.UNORDERED: "streams",
        Reason.NOT_WAITED: "fork",
        Reason.NOT_JOINED: "join",
    }.get(report.reason):
        return Found("fix", {"case": fix})
    next_one = facts.get("element") == facts.get("length")
    if report.subject.kind is SubjectKind.ALLOCATION and (line := _elements_for_bytes(source)):
        return Found("question", {"case": "bytes", "malloc": line})
    if report.reason is Reason.WRITTEN_OUTSIDE:
        wide = next_one and facts["count"] < 4 and (facts["length"] + facts["count"]) % 4 == 0
        case = "one_store" if next_one and facts["count"] == 1 else "store"
        return Found(
            "question", {"case": f"{case}_or_float4" if wide and "float4" in CudaText.of(source).blank else case}
        )
    if report.reason is Reason.OUT_OF_BOUNDS:
        case = "vector" if facts["starts_inside"] else "past_end" if next_one else "guard"
        if report.subject.kind is SubjectKind.DYNAMIC_SHARED:
            case = "shared"
        return Found("question", {"case": "wrapped" if facts["wrapped"] else case, "place": report.subject.sizes})
    return Found("question", {"case": "guard"}) if report.reason is Reason.TOUCHED_OUTSIDE else None


def _elements_for_bytes(source: str) -> int:
    """The line of a cudaMalloc whose size seems to count elements, since nothing in it says bytes; 0 if none does."""
    cuda = CudaText.of(source)
    for call in (each for each in cuda.syntax.calls if each.name.startswith("cudaMalloc") and len(each.arguments) > 1):
        size = call.arguments[1].text
        words = "|".join(re.findall(r"\w+", size))
        values = re.findall(rf"\b(?:{words})\s*=[^;]*", cuda.blank)
        if not re.search(r"sizeof|byte|element_size|itemsize|\* ?\d|\d ?\*", "; ".join([size, *values])):
            return line_of(source, call.begin)
    return 0


def _emulator_limit(report: Report, source: str) -> str:
    """The limit of the emulator that may have caused a timeout, as in `Hazard`."""
    if report.reason is not Reason.TIMEOUT:
        return ""
    if report.facts["ended"]:
        return SIZE
    # Only through these can a thread see what another block stores while both run.
    syntax = CudaText.of(source).syntax
    declared = [*syntax.declared, *(each for function in syntax.functions for each in function.parameters)]
    seen = any(call.name.startswith(("atomic", "__ldcg", "__ldcv")) for call in syntax.calls)
    return ORDER if report.facts["blocks_left"] and (seen or any("volatile" in each.words for each in declared)) else ""


def _race_fix(report: Report, reports: Sequence[Report], source: str) -> Found:
    """How to fix the race of a report; `reports` is everything that the call reported.

    By PTX's memory consistency model, two unordered accesses race unless both are strong, atomic or volatile, even if
    the values are the same.
    """
    facts = report.facts
    operations = () if facts["same_site"] else (facts["op"], facts["op_before"])
    low, high = report.lines
    several = any(
        each.facts["same_site"]
        for each in reports
        if each.reason is Reason.RACE and each.kernel == report.kernel and each.lines == [low, high] == [low, low]
    )

    def fix(case: str, **more: str) -> Found:
        return Found("fix", {"case": case, "low": low, "high": high, **more})

    if ASYNCHRONOUS in operations:
        return fix("copy")
    if report.places[0].block != report.places[1].block:
        if several or not {READS, ATOMIC} & set(operations):
            return fix("blocks")
        return fix("blocks_read" if READS in operations else "blocks_atomic")
    barriers = [call for call in CudaText.of(source).syntax.calls if call.name in ("__syncthreads", "sync")]
    if not facts["no_barrier"] and any(low < line_of(source, call.begin) < high for call in barriers):
        return fix("loop")
    if several:
        return fix("own_shared_element" if report.subject.is_shared else "own_element")
    syncwarp = say(Found("syncwarp")) if facts["one_warp"] else ""
    return fix("again" if low == high else "between", syncwarp=syncwarp)


def _barrier(report: Report, source: str) -> Found:
    """Why some threads of a block do not reach the barrier in a line, as far as the source shows it."""
    cuda, line = CudaText.of(source), report.places[0].line if report.places else 0
    calls = [call for call in cuda.syntax.calls if line_of(source, call.begin) == line]
    barrier = max(calls, key=lambda call: call.name.startswith("__syncthreads"), default=None)  # or of a group
    kernel = cuda.syntax.function_at(barrier.begin) if barrier else None
    if not barrier or not kernel:
        return Found("barrier", {"case": "must"})
    statements = within(cuda.syntax.statements, kernel)
    around = [each for each in reversed(statements) if each.begin <= barrier.begin < each.end]
    returns = any(each.word == "return" and each.begin < barrier.begin for each in statements)
    conditions = [each for each in around if each.word in ("if", "else")]
    if returns and not conditions:
        return Found("barrier", {"case": "after_return"})
    if returns or not around:
        return Found("barrier", {"case": "unknown"})
    skipped = (conditions or around)[0]  # a condition is more likely than a loop
    place = cited(cuda.without_directives, line_of(source, skipped.begin))
    return Found("barrier", {"case": "skipped" if conditions else "left", "word": skipped.word, "line": place})
