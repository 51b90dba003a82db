"""Puts what `collect` kept beside what the tracer sees today, as a table. Needs no GPU.

Lines. Accesses of one statement count as one line's, since compilers put them on different lines of it. A line is equal
in global memory when Nsight Compute's requests and sectors are the tracer's, in shared memory when its wavefronts are,
in every case that was profiled. Its requests are `inst_executed`, which counts a predicated instruction also in warps
where it is off for all threads; such a line is equal when its sectors and the threads that took part are, and its
`inst_executed` is no less than the tracer's requests.

What differs is in a class by the SASS (see `compared`): nvcc *merged* accesses into wider ones, *hoisted* a load out of
its loop or guard (or kept its value in a register), or *duplicated* it. Anything else is unexplained.
"""

from __future__ import annotations

import gzip
import json
import os
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from course.tasks import Case
from course.toolchains.cuda_text import blank, line_of, without_directives
from course.toolchains.emulator.traced import plain_name
from tests.benchmarks.microscope.collect import TOOLS
from tests.benchmarks.microscope.subjects import from_json, traced

CLASSES = ("equal", "merged", "hoisted", "duplicated", "unexplained")  # the worst last
SPACES = {"G": "global", "S": "shared"}
OPERATIONS = {"LD": "load", "ST": "store", "AT": "atomic", "RE": "atomic"}
WIDTHS = ((".128", 16), (".64", 8), ("8", 1), ("16", 2))  # of the first that a modifier ends with; else 4 bytes
CONFIRMED = Path(__file__).parent / "confirmed.json"

# What compute-sanitizer writes, and the kind of hazard it is here.
RECORDS = (
    (r"is misaligned", "misaligned"),
    (r"Invalid __(?:global|shared|local)__", "out-of-bounds"),
    (r"Uninitialized __\w+__ memory read", "uninitialised-read"),
    (r"(?:Error|Warning): Race reported", "race"),
    (r"Barrier error detected.*in warp", "divergent-warp"),
    (r"Barrier error detected", "divergent-barrier"),
    (r"Program hit .* on CUDA API call to cu(?:da)?LaunchKernel", "bad-launch"),
)
# A kernel that is given a host pointer: memcheck knows no more than that the address is none of the device's.
SAME = {"out-of-bounds": {"out-of-bounds", "host-access"}}


@dataclass
class Side:
    """What one line does in one space by one operation, as one of the two saw it.

    `units` are sectors or wavefronts, `threads` those that took part, summed over the requests; `widths` bytes each.
    """

    requests: int = 0
    units: int = 0
    threads: int = 0
    widths: set[int] = field(default_factory=set)
    instructions: set[int] = field(default_factory=set)  # of the SASS, by their offsets
    predicated: bool = False


Key = tuple[str, str, int, str, str]  # source, kernel, line, space, operation


def table(folder: Path) -> int:
    """Print and write the table. Returns 1 where anything is unexplained, not flagged here, or was not run."""
    plan = json.loads((folder / "plan.json").read_text())
    with ProcessPoolExecutor(os.cpu_count(), mp_context=get_context("spawn")) as pool:
        seen = list(pool.map(retraced, plan))
    lines, notes = nsight_lines(plan, seen, folder)
    kernels, more = sanitizer_kernels(plan, seen, folder)
    text, fine = markdown(lines, kernels, [*notes, *more])
    (folder / "table.md").write_text(text)
    (folder / "table.json").write_text(json.dumps({"lines": lines, "kernels": kernels}, indent=1))
    print(text)
    return 0 if fine else 1


def retraced(planned: Mapping[str, Any]) -> dict[str, Any]:
    """One entry of the plan, traced again."""
    return traced(from_json(planned), [Case.from_json(case) for case in planned["cases"]])


def nsight_lines(plan: Sequence, seen: Sequence, folder: Path) -> tuple[list[dict], list[str]]:
    """A row for each line, space and operation of every source, and notes on what could not be compared."""
    path = folder / "nsight.json.gz"
    if not path.exists():
        return [], ["Nsight Compute was not run."]
    with gzip.open(path, "rt") as file:
        launches = json.load(file)["launches"]
    by_call = defaultdict(list)
    for each in launches:
        for name in each["ranges"][-1:]:
            by_call[name].append(each)
    notes = [f"{len(launches)} launches were profiled, {sum(map(len, by_call.values()))} of them known by their call."]
    found: dict[Key, dict] = {}
    totals = Counter()
    for number, (planned, traces) in enumerate(zip(plan, seen, strict=True)):
        for case in planned["profiled"]:
            told, ours = by_call.get(f"{number}:{case}"), traces["cases"][case : case + 1]
            if not told or not ours or not ours[0]["whole"]:
                notes.append(f"{planned['name']}: {'not traced' if told else 'not profiled'}, case {case}.")
                continue
            statements = {name: statement_lines(text) for name, text in traces["sources"].items()}
            for key, row in compared(of_tracer(ours[0]["traffic"], statements), of_nsight(told, statements)).items():
                row |= {"subject": planned["name"], "case": str(Case.from_json(planned["cases"][case]))}
                if key not in found or CLASSES.index(row["class"]) > CLASSES.index(found[key]["class"]):
                    found[key] = row
            for counter, same in witnessed(ours[0]["traffic"], told).items():
                totals[counter, same] += 1
    for counter in sorted({counter for counter, _ in totals}):
        of = totals[counter, True] + totals[counter, False]
        notes.append(
            f"The hardware's counter {counter} is the tracer's total in {totals[counter, True]} of {of} calls."
        )
    keys = ("source", "kernel", "line", "space", "op")
    return [{**dict(zip(keys, key, strict=True)), **row} for key, row in sorted(found.items())], notes


def statement_lines(cuda: str) -> list[int]:
    """For each line, from 1 (place 0 is 0): the line on which the statement begins that it is part of."""
    text = without_directives(blank(cuda))
    begins, depth, begin = [0] * (text.count("\n") + 2), 0, None
    for place, character in enumerate(text):
        if begin is None and not character.isspace():
            begin = line_of(text, place)
        if not character.isspace():
            line = line_of(text, place)
            begins[line] = begins[line] or begin
        depth += (character in "([") - (character in ")]")
        if depth == 0 and character in ";{}":
            begin = None
    return begins


def of_tracer(traffic: Iterable[Mapping], statements: Mapping[str, Sequence[int]]) -> dict[Key, Side]:
    """The tracer's rows of one call, by line."""
    sides: dict[Key, Side] = defaultdict(Side)
    for row in traffic:
        line = statements[row["source"]][row["line"]] or row["line"]
        side = sides[row["source"], plain_name(row["kernel"]), line, row["space"], row["op"]]
        side.requests += row["requests"]
        side.units += row["units"]
        side.threads += row["lanes"]
        side.widths.add(row["bytes_each"])
    return dict(sides)


def of_nsight(launches: Iterable[Mapping], statements: Mapping[str, Sequence[int]]) -> dict[Key, Side]:
    """Nsight Compute's launches of one call, by line."""
    sides: dict[Key, Side] = defaultdict(Side)
    for launch in launches:
        for each in launch["instructions"]:
            source, (space, op, width) = Path(each["file"]).stem, operation(each)
            if space == "local" or not each["inst_executed"]:
                continue
            lines = statements.get(source, [])
            line = lines[each["line"]] if each["line"] < len(lines) else each["line"]
            side = sides[source, plain_name(launch["kernel"]), line or each["line"], space, op]
            units = "memory_l1_wavefronts_shared" if space == "shared" else "memory_l2_theoretical_sectors_global"
            side.requests += each["inst_executed"]
            side.units += each.get(units, 0)
            side.threads += each.get("thread_inst_executed_true", 0)
            side.widths.add(width)
            side.instructions.add(each["offset"])
            side.predicated |= each["sass"].startswith("@")
    return dict(sides)


def operation(instruction: Mapping[str, Any]) -> tuple[str, str, int]:
    """Space (global, shared or local), operation and bytes each of an instruction on memory."""
    words = instruction["sass"].split()
    opcode, *modifiers = words[words[0].startswith("@")].rstrip(";").split(".")
    base = re.match(r"LD|ST|AT|RE", opcode)[0]
    letter = re.sub(r"^(?:LD|ST|ATOM|RED)", "", opcode)[:1]
    if letter == "L":
        space = "local"
    elif letter in SPACES:
        space = SPACES[letter]
    else:  # an address of any space, or RED, which is global memory's
        space = "shared" if instruction.get("memory_l1_wavefronts_shared") else "global"
    ends = [width for modifier in modifiers for end, width in WIDTHS if f".{modifier}".endswith(end)]
    return space, OPERATIONS[base], ends[0] if ends else 4


def compared(ours: Mapping[Key, Side], theirs: Mapping[Key, Side]) -> dict[Key, dict]:
    """Both sides of one call, line by line, with the class of each.

    merged: the SASS has a wider instruction on the line than the source; or none on it and a wider one of the same
        space and operation elsewhere in the kernel.
    hoisted: a load that one instruction of the width as written runs less or more often; or that none runs, while other
        lines of the kernel load from that space.
    duplicated: a load that several instructions run, more often together than the source as written.
    """
    rows, theirs = {}, with_headers(ours, theirs)
    for key in {**ours, **theirs}:
        one, other = ours.get(key, Side()), theirs.get(key, Side())
        of_kernel = [side for k, side in theirs.items() if k[:2] == key[:2] and k[3:] == key[3:]]
        written = [side for k, side in ours.items() if k[:2] == key[:2] and k[3:] == key[3:]]
        rows[key] = {
            "class": _class(key, one, other, of_kernel, written),
            "requests": [one.requests, other.requests],
            "units": [one.units, other.units],
            "threads": [one.threads, other.threads],
            "bytes_each": [sorted(one.widths), sorted(other.widths)],
            "instructions": len(other.instructions),
        }
    return rows


def with_headers(ours: Mapping[Key, Side], theirs: Mapping[Key, Side]) -> dict[Key, Side]:
    """`theirs`, an instruction of a header's line (a conversion of a half, say) counted for the student's line.

    That is the one of the kernel in that space and by that operation that has no instruction else; where there are
    several, it stays with the header.
    """
    sources, moved = {source for source, *_ in ours}, dict(theirs)
    for key in theirs:
        bare = [k for k in ours if (k[1], *k[3:]) == (key[1], *key[3:]) and k not in theirs]
        if key[0] not in sources and len(bare) == 1:
            moved[bare[0]] = moved.pop(key)
    return moved


def _class(key: Key, one: Side, other: Side, of_kernel: Sequence[Side], written: Sequence[Side]) -> str:
    *_, space, op = key
    if one.units == other.units:
        off_in_whole_warps = other.predicated and one.requests <= other.requests and one.threads == other.threads
        if space == "shared" or one.requests == other.requests or off_in_whole_warps:
            return "equal"
    if not one.requests:
        return "unexplained"
    widest = max(width for side in written for width in side.widths)
    if max(other.widths, default=0) > max(one.widths):
        return "merged"
    if not other.instructions and any(max(side.widths) > widest for side in of_kernel):
        return "merged"
    if op != "load" or not of_kernel:
        return "unexplained"
    if len(other.instructions) <= 1 and one.requests != other.requests:
        return "hoisted"
    if other.requests > one.requests:
        return "duplicated"
    return "hoisted" if other.requests < one.requests else "unexplained"


def witnessed(traffic: Iterable[Mapping], launches: Iterable[Mapping]) -> dict[str, bool]:
    """For each hardware counter of the launches of one call, whether the tracer's total is the same."""
    counted: Counter[str] = Counter()
    for launch in launches:
        counted.update(launch["counters"])
    totals: Counter[tuple[str, str, str]] = Counter()
    for row in traffic:
        for what in ("requests", "units"):
            totals[row["space"], row["op"], what] += row[what]
    found = {}
    for name, value in counted.items():
        space, op = ("shared" if "shared" in name else "global"), {"ld": "load", "st": "store"}[name[-6:-4]]
        found[name] = totals[space, op, "requests" if "requests" in name else "units"] == value
    return found


def sanitizer_kernels(plan: Sequence, seen: Sequence, folder: Path) -> tuple[list[dict], list[str]]:
    """A row for each subject that a tool was run over, and notes on runs that did not end."""
    confirmed = json.loads(CONFIRMED.read_text())
    rows, notes = [], []
    for number, (planned, traces) in enumerate(zip(plan, seen, strict=True)):
        theirs: dict[str, list[str]] = {}
        for tool in TOOLS:
            log = folder / "sanitizer" / f"{number}-{tool}.log"
            if not log.exists():
                continue
            text = log.read_text(errors="replace")
            theirs[tool] = sorted(flagged(text, planned["kernels"]))
            if "SUMMARY" not in text or len(re.findall(rf"^{number}:\d", text, re.MULTILINE)) < len(planned["cases"]):
                notes.append(f"{planned['name']}: {tool} did not end; its log is {log.name}.")
        if not theirs:
            continue
        hazards = {kind: detail for case in traces["cases"] for kind, detail in reversed(case["hazards"])}
        kinds = {kind for found in theirs.values() for kind in found}
        missing = sorted(kind for kind in kinds if not hazards.keys() & SAME.get(kind, {kind}))
        accounted = set().union(*(SAME.get(kind, {kind}) for kind in kinds))
        rows.append(
            {
                "subject": planned["name"],
                "sanitizer": theirs,
                "ours": sorted(hazards),
                "missing": missing,
                "only here": {
                    kind: {"detail": detail, "reason": confirmed.get(planned["name"], {}).get(kind, "")}
                    for kind, detail in sorted(hazards.items())
                    if kind not in accounted
                },
            }
        )
    return rows, notes


def flagged(log: str, kernels: Sequence[str]) -> set[str]:
    """The kinds of hazard that a log of compute-sanitizer reports of these kernels, or of the launch of one."""
    lines = [line.removeprefix("=========") for line in log.splitlines() if line.startswith("=========")]
    own = re.compile(rf"(?<![\w:])(?:{'|'.join(kernels)})\b")
    kinds = set()
    for record in re.split(r"^(?= \S)", "\n".join(lines), flags=re.MULTILINE):
        kind = next((kind for pattern, kind in RECORDS if re.search(pattern, record)), None)
        if kind and (kind == "bad-launch" or own.search(record)):
            kinds.add(kind)
    return kinds


def markdown(lines: Sequence[Mapping], kernels: Sequence[Mapping], notes: Sequence[str]) -> tuple[str, bool]:
    """The whole table, and whether all is as it must be."""
    text = ["# Beside Nsight Compute", "", "| memory | lines | " + " | ".join(CLASSES) + " | equal |"]
    text.append("|---" * (len(CLASSES) + 3) + "|")
    for space in ("global", "shared"):
        of = Counter(row["class"] for row in lines if row["space"] == space)
        share = f"{of['equal'] / max(1, of.total()):.1%}"
        text.append(f"| {space} | {of.total()} | " + " | ".join(str(of[each]) for each in CLASSES) + f" | {share} |")
    text += ["", "Of each line the requests, sectors or wavefronts, and threads: the tracer's / Nsight Compute's.", ""]
    text += [
        "| kernel | line | access | case | requests | units | threads | bytes each | SASS | class |",
        "|---" * 10 + "|",
    ]
    for row in sorted(lines, key=lambda row: (-CLASSES.index(row["class"]), row["subject"], row["line"])):
        pairs = [" / ".join(map(str, row[part])) for part in ("requests", "units", "threads", "bytes_each")]
        access, instructions = f"{row['space']} {row['op']}", row["instructions"]
        cells = [row["subject"], row["line"], access, row["case"], *pairs, instructions, row["class"]]
        text.append(f"| {' | '.join(map(str, cells))} |")
    missing = [row for row in kernels if row["missing"]]
    alone = [(row, kind, told) for row in kernels for kind, told in row["only here"].items()]
    theirs, ours = sum(any(row["sanitizer"].values()) for row in kernels), sum(bool(row["ours"]) for row in kernels)
    text += ["", "# Beside compute-sanitizer", ""]
    text += [f"{len(kernels)} kernels: it flags {theirs}, the tracer {ours}; {len(missing)} not by the same kind."]
    text += ["", f"| kernel | {' | '.join(TOOLS)} | the tracer | not flagged here |", "|---" * (len(TOOLS) + 3) + "|"]
    for row in kernels:
        cells = [", ".join(row["sanitizer"].get(tool, ["not run"])) for tool in TOOLS]
        text.append(
            f"| {row['subject']} | {' | '.join(cells)} | {', '.join(row['ours'])} | {', '.join(row['missing'])} |"
        )
    text += [
        "",
        "Flagged here alone:",
        "",
        "| kernel | kind | what the tracer says | confirmed: why the tool does not see it |",
    ]
    text.append("|---" * 4 + "|")
    text += [f"| {row['subject']} | {kind} | {told['detail']} | {told['reason']} |" for row, kind, told in alone]
    text += ["", "# Notes", "", *(f"- {note}" for note in notes)]
    classes = Counter(row["class"] for row in lines)
    fine = bool(lines and kernels) and not classes["unexplained"] and classes["equal"] >= 0.95 * classes.total()
    return "\n".join(text) + "\n", fine and not missing and all(told["reason"] for *_, told in alone)
