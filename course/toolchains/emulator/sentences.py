"""The sentences about what the emulator's runtime reports, by reason."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from types import SimpleNamespace

from course.errors import ORDER, SIZE, Hazard
from course.toolchains.cuda_text import CudaText, cited
from course.toolchains.emulator.advice import READS, barrier_advice, race_advice
from course.toolchains.emulator.reports import Place, Reason, Report, Subject, SubjectKind

REMARK = "remark"  # the kind of a report that is no hazard
# By the numbers of `tracer::operation`.
VERBS = ("reads", "writes", "changes (atomically)", "writes (asynchronously)")
_BETWEEN_BLOCKS = re.compile(r"\batomic[A-Z]\w*\s*\(|\bvolatile\b|\b__ld(?:cg|cv)\b")
UNSIGNED = 2**64  # a number modulo this is its value as an unsigned 64-bit integer in C++


def kind_of(report: Report) -> str:
    """A kind of `course.errors.HAZARDS`, or REMARK."""
    return SENTENCES[report.reason][0]


def sentence(report: Report, source: str = "") -> str:
    """What was found, without the blocks and threads and without advice on a race.

    The number of a line comes with its text from `source`.
    """
    _, form = SENTENCES[report.reason]
    code = CudaText.of(source).without_comments
    lines = [cited(code, place.line) if place.line else "?" for place in report.places]
    known = {
        "source": source,
        "number": report.places[0].line if report.places else 0,
        **dict(zip(("line", "line_before"), lines, strict=False)),
        **{"memory": _memory(report.subject), "name": report.subject.name, "sizes": report.subject.sizes},
        **{"shared": report.subject.is_shared, "verb": VERBS[report.facts.get("op", READS)]},
        "caller": "the kernel" if report.facts.get("in_kernel") else "the wrapper",
        "side": "before the start of" if report.facts.get("element", 0) < 0 else "past the end of",
        **report.facts,
    }
    if "line" in report.facts:
        known["line"] = cited(code, report.facts["line"])
    return form.format(**known) if isinstance(form, str) else form(SimpleNamespace(**known))


def hazard(report: Report, source: str) -> Hazard:
    """The hazard in a report of an untraced call of a function in `source`."""
    return _hazard(report, source, sentence(report, source))


def hazards_and_remarks(reports: Sequence[Report], source: str) -> tuple[tuple[Hazard, ...], tuple[str, ...]]:
    """The hazards and the remarks of a traced call, each once, with blocks and threads.

    Parameters
    ----------
    reports
        What the runtime reported, in order, with the lines of all places.
    source
        The student's source. Its lines are cited, and the advice on a race depends on it.
    """
    racing = {(each.kernel, line) for each in reports if each.reason is Reason.RACE for line in each.lines}
    hazards: dict[tuple, Hazard] = {}
    remarks = []
    for report in reports:
        kind = kind_of(report)
        # A missing barrier also leads to reads of memory that was not written yet. That is one mistake, not two.
        if report.reason is Reason.UNWRITTEN_READ and racing & {(report.kernel, line) for line in report.lines}:
            continue
        advice, barrier = race_advice(report, reports, source) if report.reason is Reason.RACE else ("", None)
        detail = sentence(report, source) + advice + (_indices(report.places) if report.kernel else "")
        if kind == REMARK:
            remarks.append(detail)
        else:
            hazards.setdefault((kind, report.kernel, tuple(report.lines)), _hazard(report, source, detail, barrier))
    return tuple(hazards.values()), tuple(dict.fromkeys(remarks))


def sampled(launches: Iterable[tuple[str, int, int]]) -> str | None:
    """Which launches (kernel, blocks that ran, all blocks) were counted on a sample; None if none were."""
    sentences = [
        f"{kernel} was traced on {run:,} of its {blocks:,} blocks, and its counts are scaled to all of them"
        for kernel, run, blocks in launches
        if run < blocks
    ]
    return "; ".join(dict.fromkeys(sentences)) or None


def _hazard(report: Report, source: str, detail: str, barrier: tuple[int, int] | None = None) -> Hazard:
    where = ({"line": at.line, "block": list(at.block), "thread": list(at.thread)} for at in report.places)
    new_shape = report.subject.sizes if report.subject.kind is SubjectKind.NEW_TENSOR else None
    limit = _emulator_limit(SimpleNamespace(**report.facts), source) if report.reason is Reason.TIMEOUT else ""
    return Hazard(kind_of(report), detail, report.kernel, tuple(where), barrier, new_shape, limit)


def _emulator_limit(facts: SimpleNamespace, source: str) -> str:
    """The limit of the emulator that may have caused a timeout, as in `Hazard`."""
    if facts.ended:
        return SIZE
    # Only through these can a thread see what another block stores while both run.
    return ORDER if facts.blocks_left and _BETWEEN_BLOCKS.search(CudaText.of(source).without_comments) else ""


# ----------------------------------------------------------------------------------------------------------------------
# Parts of sentences.


def _memory(subject: Subject) -> str:
    match subject.kind:
        case SubjectKind.ARGUMENT:
            return f"{subject.name} of shape {subject.sizes}"
        case SubjectKind.NEW_TENSOR:
            return f"the new tensor of shape {subject.sizes}"
        case SubjectKind.ALLOCATION:
            return f"the {subject.sizes[0]} bytes of a cudaMalloc"
        case SubjectKind.VARIABLE:
            return f"the variable {subject.name}"
        case SubjectKind.SHARED_ARRAY:
            return f"the shared array {subject.name}"
        case SubjectKind.DYNAMIC_SHARED:
            return "the dynamic shared memory"
        case _:
            return ""


def _indices(places: Sequence[Place]) -> str:
    """The blocks and threads of the places, as a parenthesis."""
    if not places:
        return ""
    blocks = list(dict.fromkeys(_index(place.block) for place in places))
    threads = list(dict.fromkeys(_index(place.thread) for place in places))
    if len(blocks) == 1 or len(threads) == 1:
        several = "s" * (len(threads) > 1)
        return f" (block{'s' * (len(blocks) > 1)} {' and '.join(blocks)}, thread{several} {' and '.join(threads)})"
    return f" ({', '.join(f'block {b} thread {t}' for b, t in zip(blocks, threads, strict=True))})"


def _index(index: tuple[int, ...]) -> str:
    return str(index) if any(index[1:]) else str(index[0])


# ----------------------------------------------------------------------------------------------------------------------
# Sentences: the kind, and a format for what `sentence` knows, or a function if the words depend on what it knows.


def _index_outside(it: SimpleNamespace) -> str:
    index = it.index % UNSIGNED if it.wrapped else it.index
    reason = ", counted from 0: is a guard missing, does a loop go too far, or is the index wrong?"
    if it.wrapped:
        reason = ": an unsigned index went below 0"
    return f"line {it.line} uses index {index} in an array of type {it.name}{reason}"


def _written_outside(it: SimpleNamespace) -> str:
    many = "one element" if it.count == 1 else "elements"
    reason = "is the guard missing, or the index wrong"
    if it.count == 1 and it.element == it.length:
        reason = "does a guard have <= instead of <, or leave out a dimension"
    wide = re.search(r"\bfloat4\b", CudaText.of(it.source).blank)
    if wide and it.element == it.length and it.count < 4 and (it.length + it.count) % 4 == 0:
        reason += ", or does the last float4 reach too far"
    return (
        f"a kernel wrote {many} {it.side} {it.memory}: element {it.element} of {it.length}, counted from 0 through its"
        f" memory; {reason}?"
    )


def _out_of_bounds(it: SimpleNamespace) -> str:
    through = "" if it.shared else " through its memory"
    reason = "is a guard missing, or the index wrong?"
    if it.starts_inside:
        reason = "does the last vector access reach too far?"
    elif it.element == it.length:
        reason = "is a guard missing, does it have <= instead of <, or is the index wrong?"
    wrapped = " An unsigned number below 0 wraps around." if it.wrapped else ""
    return (
        f"line {it.line} {it.verb} {it.side} {it.memory}: element {it.element} of {it.length}, counted from 0{through};"
        f" {reason}{wrapped}"
    )


def _race(it: SimpleNamespace) -> str:
    where = f"a race on {it.memory}, element {it.element} of {it.length}"
    if it.same_site:
        return f"{where}: several threads change it in line {it.line}"
    other = "before waiting for the copy" if it.in_flight else "in another thread"
    return f"{where}: line {it.line} {it.verb} what line {it.line_before} {VERBS[it.op_before]} {other}"


def _unwritten_read(it: SimpleNamespace) -> str:
    reason = "new memory holds old data, not zeros"
    if it.shared:
        reason = "is it filled everywhere, with zeros past the edges?"
    return f"{UNWRITTEN.format(**vars(it))}: {reason}"


def _unwritten_output(it: SimpleNamespace) -> str:
    return (
        f"no kernel writes {it.unwritten} of the {it.elements} elements of {_result(it)}; the first of them is at"
        f" {list(it.sizes)}"
    )


# By `_emulator_limit`.
_LATE = {
    "": "an endless loop, or too large an input for the emulator",
    SIZE: "threads kept ending, so this is too much work, or too large an input for the emulator",
    ORDER: (
        "it seems to wait for blocks that have not started, since the emulator runs the blocks of a grid one after"
        " another"
    ),
}


def _result(it: SimpleNamespace) -> str:
    return f"result {it.result}" if it.results > 1 else "the result"


UNWRITTEN = "line {line} reads {memory} where nothing was written before, element {element} of {length}"

SENTENCES: dict[Reason, tuple[str, str | Callable[[SimpleNamespace], str]]] = {
    Reason.NO_THREADS: ("bad-launch", "a block of ({x}, {y}, {z}) has no threads"),
    Reason.TOO_MANY_THREADS: (
        "bad-launch",
        lambda it: (
            f"a block of {it.x, it.y, it.z} has {it.x * it.y * it.z % UNSIGNED} threads; at most 1024 are allowed"
        ),
    ),
    Reason.BLOCK_TOO_DEEP: ("bad-launch", "a block of ({x}, {y}, {z}) is deeper than 64 in z"),
    Reason.NO_BLOCKS: (
        "bad-launch",
        "a grid of ({x}, {y}, {z}) has no blocks: return early when there is nothing to do, and round the number up",
    ),
    Reason.TOO_MANY_BLOCKS: (
        "bad-launch",
        "a grid of ({x}, {y}, {z}) is too large: at most (2147483647, 65535, 65535) blocks are allowed",
    ),
    Reason.TOO_MUCH_SHARED_MEMORY: (
        "bad-launch",
        lambda it: (
            f"the launch requests {it.size % UNSIGNED} bytes of dynamic shared memory; more than {it.allowed} need"
            " cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes) first"
        ),
    ),
    Reason.BARRIER_NOT_REACHED: (
        "divergent-barrier",
        lambda it: (
            f"the __syncthreads() in line {it.number} is reached by {it.arrived} of the block's {it.threads} threads;"
            f" {barrier_advice(it.source, it.number)}"
        ),
    ),
    Reason.DIFFERENT_BARRIERS: (
        "divergent-barrier",
        "threads of one block wait at different __syncthreads(), some in line {other_line} and some in line {line}:"
        " every thread must reach the same barrier",
    ),
    Reason.WARP_OP_NOT_REACHED: (
        "divergent-warp",
        "a warp operation in line {line} names lanes in its mask (0x{mask:08X}) that never reach it",
    ),
    Reason.LANE_NOT_IN_MASK: (
        "divergent-warp",
        "a lane calls the warp operation in line {line}, but the mask (0x{mask:08X}) does not contain this lane",
    ),
    Reason.DIVISION_BY_ZERO: ("crash", "{caller} divided an integer by zero"),
    Reason.MEANINGLESS_CODE: (
        "crash",
        "{caller} reached an instruction that stops it: is a return statement missing?",
    ),
    Reason.ABORTED: ("crash", "{caller} called abort()"),
    Reason.THREAD_STACK_OVERFLOW: (
        "crash",
        "a thread used more stack than it has (256 KB): endless recursion, or a very large local array",
    ),
    Reason.STACK_OVERFLOW: (
        "crash",
        "{caller} used more stack than there is: endless recursion, or a very large local array",
    ),
    Reason.MISALIGNED_OR_UNSET: (
        "misaligned",
        "{caller} made a vector access to an address that is not a multiple of its size (a float4 needs 16 bytes), or"
        " used a pointer that was never set",
    ),
    Reason.NULL_POINTER: ("out-of-bounds", "{caller} used a null pointer"),
    Reason.WILD_POINTER: (
        "out-of-bounds",
        lambda it: (
            f"{it.caller} touched address {it.address % UNSIGNED:#x}, which belongs to no tensor: an index far out of"
            " bounds, or a pointer that was never set"
        ),
    ),
    Reason.TOUCHED_OUTSIDE: (
        "out-of-bounds",
        "{caller} accessed memory {side} {memory}: element {element} of {length}, counted from 0 through its memory; is"
        " a guard missing, or the index wrong?",
    ),
    Reason.TIMEOUT: (
        "timeout",
        lambda it: (
            f"{it.caller} ran for more than {it.milliseconds / 1000:g} s: {_LATE[_emulator_limit(it, it.source)]}"
        ),
    ),
    Reason.TRAPPED: ("crash", "__trap() was called in a kernel"),
    Reason.ASSERTION_FAILED: ("crash", "Assertion `{name}` failed"),
    Reason.HOST_FUNCTION: (
        "crash",
        lambda it: (
            f"a kernel called {it.name or 'a function without a name'}, which is a host function: do its work in"
            " the kernel"
        ),
    ),
    Reason.LAUNCH_IN_KERNEL: (
        "crash",
        "a kernel launched a kernel: the emulator does not run dynamic parallelism",
    ),
    Reason.MISSING_RETURN: ("crash", "a function ended without its return statement"),
    Reason.PRINTF_STORES: ("crash", "a kernel's printf stores nothing: remove %n, which a GPU does not support"),
    Reason.TOO_MANY_SITES: (
        "crash",
        "the code of these kernels accesses memory in more than 65535 places, more than the tracer can distinguish:"
        " trace fewer kernels, or unroll less",
    ),
    Reason.COPY_OF_OTHER_SIZE: (
        "crash",
        "__pipeline_memcpy_async copies 4, 8 or 16 bytes, but it was called with another size",
    ),
    Reason.COPY_OF_MORE_ZEROS: (
        "crash",
        "__pipeline_memcpy_async was called with more bytes to fill with zeros than bytes to copy",
    ),
    Reason.COPY_BETWEEN_OTHERS: (
        "crash",
        "__pipeline_memcpy_async copies from global to shared memory: its first argument must point into a __shared__"
        " array, and its second into a tensor",
    ),
    Reason.INDEX_OUTSIDE: ("out-of-bounds", _index_outside),
    Reason.INDEX_OUTSIDE_ON_HOST: ("crash", _index_outside),
    Reason.WRITTEN_OUTSIDE: ("out-of-bounds", _written_outside),
    Reason.SHARED_OVERRUN: (
        "out-of-bounds",
        "the kernel wrote past the end of its {size} bytes of dynamic shared memory (byte {offset}); the third value of"
        " <<<...>>> sets this size",
    ),
    Reason.OUT_OF_BOUNDS: ("out-of-bounds", _out_of_bounds),
    Reason.NULL_ACCESS: ("out-of-bounds", "line {line} {verb} memory through a null pointer"),
    Reason.WILD_ACCESS: (
        "out-of-bounds",
        "line {line} {verb} an address outside of all tensors and shared arrays: an index far out of bounds, a pointer"
        " to the host's memory, or a pointer that was never set",
    ),
    Reason.MISALIGNED: (
        "misaligned",
        "line {line} {verb} {size} bytes at once, {past} past a multiple of {size}: misaligned, since a vector access"
        " must begin at a multiple of its size (a float4 needs 16 bytes)",
    ),
    Reason.COPY_MISALIGNED: (
        "misaligned",
        "__pipeline_memcpy_async copies {size} bytes from or to an address that is not a multiple of {size}",
    ),
    Reason.RACE: ("race", _race),
    Reason.UNWRITTEN_READ: ("uninitialised-read", _unwritten_read),
    Reason.UNWRITTEN_OUTPUT: ("unwritten-output", _unwritten_output),
    Reason.HOST_ACCESS: (
        "host-access",
        "line {line} of the wrapper {verb} {memory} through its device pointer: the host cannot use a device pointer, "
        "but a kernel can",
    ),
    Reason.RESULT_OUTSIDE: (
        "out-of-bounds",
        lambda it: (
            f"{_result(it)} reaches out of the memory of {it.memory}: give from_blob sizes that fit, and an address in"
            " that memory"
        ),
    ),
    Reason.RESULT_MISALIGNED: (
        "misaligned",
        lambda it: f"{_result(it)} begins in the middle of an element, counted from the start of {it.memory}",
    ),
    Reason.RESULT_ON_STACK: (
        "out-of-bounds",
        lambda it: (
            f"{_result(it)} is in a local variable of the wrapper, which no longer exists: return a clone() of the"
            " tensor that from_blob gives"
        ),
    ),
    Reason.SAME_VALUE: (REMARK, "line {line} stores the same value in {memory} from several threads"),
    Reason.UNUSED_READ: (REMARK, UNWRITTEN + "; no result depends on it"),
    Reason.NOT_COUNTED: (
        REMARK,
        "the kernel does too much between two barriers to count its traffic: trace smaller inputs",
    ),
    Reason.UNSAMPLED_READ: (
        REMARK,
        "a block reads data that blocks outside of the sample may have written, so its work is unknown: trace"
        " smaller inputs",
    ),
}
