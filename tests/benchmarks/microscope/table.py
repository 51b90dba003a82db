"""Compares what `collect` recorded with what the tracer finds today, and writes TABLE.md. Needs no GPU.

Lines. All accesses of a statement count for one line, since compilers attribute them to different lines of it. A line
is *equal* if Nsight Compute and the tracer have the same numbers in every profiled case: requests and sectors in global
memory, wavefronts in shared memory, and in both the threads that took part. Nsight Compute's requests are
`inst_executed`, which also counts a predicated instruction in warps where the predicate is false for all threads, so
they may exceed the tracer's. The hardware's own counters of a whole call, which are a second check, do not count such
warps.

Other lines get a class from the SASS (see `_class`): nvcc *merged* accesses into wider ones, *hoisted* a load out of
its loop or guard, or *duplicated* the accesses of a loop. Anything else is *unexplained*. For each of these lines, and
for each hazard that only one side reports, CONFIRMED has what was found by hand in source and SASS.
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
from course.text.cuda import CudaText, line_of
from course.toolchains.emulator.variables import plain_name
from tests.benchmarks.microscope.collect import TOOLS
from tests.benchmarks.microscope.subjects import from_json, subjects, traced

CLASSES = ("equal", "merged", "hoisted", "duplicated", "unexplained")  # the worst last
SPACES = {"G": "global", "S": "shared"}
OPERATIONS = {"LD": "load", "ST": "store", "AT": "atomic", "RE": "atomic"}
WIDTHS = ((".128", 16), (".64", 8), ("8", 1), ("16", 2))  # the first that matches a modifier's end; else 4 bytes
CONFIRMED = Path(__file__).parent / "confirmed.json"
TABLE = Path(__file__).parent / "TABLE.md"

# What compute-sanitizer writes, and the course's kind of hazard for it.
RECORDS = (
    (r"is misaligned", "misaligned"),
    (r"Invalid __(?:global|shared|local)__", "out-of-bounds"),
    (r"Uninitialized __\w+__ memory read", "uninitialised-read"),
    (r"(?:Error|Warning): Race reported", "race"),
    (r"Barrier error detected", "divergent-barrier"),  # divergent-warp if the line has no __syncthreads
    (r"Program hit .* on CUDA API call to cu(?:da)?LaunchKernel", "bad-launch"),
)
# If a kernel gets a host pointer, memcheck knows only that the address is not in the device's memory.
SAME = {"out-of-bounds": {"out-of-bounds", "host-access"}}


@dataclass
class Side:
    """What one line does in one space with one operation, as the tracer or Nsight Compute saw it.

    `units` counts sectors or wavefronts. `threads` counts the threads that took part, summed over the requests, and
    `bytes` the bytes of all these threads. `widths` has the bytes per thread. `instructions` has, for each offset of an
    SASS instruction, the number of threads that ran it.
    """

    requests: int = 0
    units: int = 0
    threads: int = 0
    bytes: int = 0
    widths: frozenset[int] = frozenset()
    instructions: Counter[int] = field(default_factory=Counter)
    predicated: bool = False

    def __add__(self, other: Side) -> Side:
        return Side(
            self.requests + other.requests,
            self.units + other.units,
            self.threads + other.threads,
            self.bytes + other.bytes,
            self.widths | other.widths,
            self.instructions + other.instructions,
            self.predicated or other.predicated,
        )


Key = tuple[str, str, int, str, str]  # source, kernel, line, space, operation
Line = tuple[str, int]  # source, line


def table(folder: Path) -> int:
    """Print and write the table. Returns 1 if anything is unexplained, not flagged by the tracer, or not run."""
    plan = json.loads((folder / "plan.json").read_text())
    with ProcessPoolExecutor(os.cpu_count(), mp_context=get_context("spawn")) as pool:
        seen = list(pool.map(retraced, plan))
    return written(folder, plan, seen)


def written(folder: Path, plan: Sequence, seen: Sequence) -> int:
    """`table`, after the calls have been traced again."""
    confirmed = json.loads(CONFIRMED.read_text())
    lines, witnesses, notes = nsight_lines(plan, seen, folder, confirmed)
    kernels, more = sanitizer_kernels(plan, seen, folder, confirmed)
    collected = {planned["answer"]["source"] for planned in plan}
    changed = [subject.name for subject in subjects() if subject.answer.source not in collected]
    notes += [f"Changed since `collect` ran, or new: {', '.join(changed)}."] if changed else []
    versions = json.loads((folder / "machine.json").read_text())["versions"]
    text, fine = markdown(lines, witnesses, kernels, [*notes, *more], versions)
    TABLE.write_text(text)
    (folder / "table.json").write_text(json.dumps({"lines": lines, "kernels": kernels}, indent=1))
    print(text)
    return 0 if fine else 1


def retraced(planned: Mapping[str, Any]) -> dict[str, Any]:
    """One entry of the plan, traced again."""
    return traced(from_json(planned), [Case.from_json(case) for case in planned["cases"]])


def nsight_lines(
    plan: Sequence, seen: Sequence, folder: Path, confirmed: Mapping
) -> tuple[list[dict], Counter, list[str]]:
    """Three results. First, a row for each line, space and operation of every source. Second, how many calls each
    hardware counter was read in, by whether its total is the tracer's and whether all lines of the call are equal.
    Third, notes on what could not be compared.
    """
    path, witnesses = folder / "nsight.json.gz", Counter()
    if not path.exists():
        return [], witnesses, ["Nsight Compute was not run."]
    with gzip.open(path, "rt") as file:
        launches = json.load(file)["launches"]
    by_call = defaultdict(list)
    for each in launches:
        for name in each["ranges"][-1:]:
            by_call[name].append(each)
    notes, kernels = [], [planned["profiled"] for planned in plan if not planned["problem"]]
    notes.append(
        f"Nsight Compute profiled {sum(map(len, kernels))} calls of {sum(map(bool, kernels))} of the {len(kernels)}"
        " kernels. The other kernels have no launch, or none that the tracer follows to its end."
    )
    found: dict[Key, dict] = {}
    for number, (planned, traces) in enumerate(zip(plan, seen, strict=True)):
        for case in planned["profiled"]:
            told, ours = by_call.get(f"{number}:{case}"), traces["cases"][case : case + 1]
            if not told or not ours or not ours[0]["whole"]:
                notes.append(f"{planned['name']}: {'not traced' if told else 'not profiled'}, case {case}.")
                continue
            statements = {name: statement_lines(text) for name, text in traces["sources"].items()}
            rows = compared(of_tracer(ours[0]["traffic"], statements), of_nsight(told, statements))
            for key, row in rows.items():
                row |= {"subject": planned["name"], "case": str(Case.from_json(planned["cases"][case]))}
                row["why"] = confirmed["lines"].get(f"{planned['name']}, {key[2]}, {key[4]}", "")
                if key not in found or CLASSES.index(row["class"]) > CLASSES.index(found[key]["class"]):
                    found[key] = row
            equal = all(row["class"] == "equal" for row in rows.values())
            for counter, same in witnessed(ours[0]["traffic"], told).items():
                witnesses[counter, same, equal] += 1
    keys = ("source", "kernel", "line", "space", "op")
    lines = [{**dict(zip(keys, key, strict=True)), **row} for key, row in sorted(found.items())]
    return lines, witnesses, notes


def statement_lines(cuda: str) -> list[int]:
    """For each line, counted from 1, the line on which its statement begins. Place 0 has 0."""
    text = CudaText.of(cuda).without_directives
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
        line, each, threads = statements[row["source"]][row["line"]] or row["line"], row["bytes_each"], row["lanes"]
        key = row["source"], plain_name(row["kernel"]), line, row["space"], row["op"]
        sides[key] += Side(row["requests"], row["units"], threads, each * threads, frozenset({each}))
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
            units = "memory_l1_wavefronts_shared" if space == "shared" else "memory_l2_theoretical_sectors_global"
            threads = each.get("thread_inst_executed_true", 0)
            sides[source, plain_name(launch["kernel"]), line or each["line"], space, op] += Side(
                each["inst_executed"],
                each.get(units, 0),
                threads,
                width * threads,
                frozenset({width}),
                Counter({each["offset"]: threads}),
                each["sass"].startswith("@"),
            )
    return dict(sides)


def operation(instruction: Mapping[str, Any]) -> tuple[str, str, int]:
    """The space (global, shared or local), operation and bytes per thread of a memory instruction."""
    words = instruction["sass"].split()
    opcode, *modifiers = words[words[0].startswith("@")].rstrip(";").split(".")
    base = re.match(r"LD|ST|AT|RE", opcode)[0]
    letter = re.sub(r"^(?:LD|ST|ATOM|RED)", "", opcode)[:1]
    if letter == "L":
        space = "local"
    elif letter in SPACES:
        space = SPACES[letter]
    else:  # a generic address, or RED, which is only for global memory
        space = "shared" if instruction.get("memory_l1_wavefronts_shared") else "global"
    ends = [width for modifier in modifiers for end, width in WIDTHS if f".{modifier}".endswith(end)]
    return space, OPERATIONS[base], ends[0] if ends else 4


def compared(ours: Mapping[Key, Side], theirs: Mapping[Key, Side]) -> dict[Key, dict]:
    """Both sides of one call, line by line, with the class of each."""
    rows, theirs = {}, settled(ours, theirs)
    for key in {**ours, **theirs}:
        one, other = ours.get(key, Side()), theirs.get(key, Side())
        rows[key] = {
            "class": _class(key, one, other),
            "requests": [one.requests, other.requests],
            "units": [one.units, other.units],
            "threads": [one.threads, other.threads],
            "bytes_each": [sorted(one.widths), sorted(other.widths)],
            "instructions": len(other.instructions),
        }
    return rows


def settled(ours: Mapping[Key, Side], theirs: Mapping[Key, Side]) -> dict[Key, Side]:
    """`theirs`, but an instruction on a line that accesses nothing as written is moved to the line that lacks it.

    nvcc attributes a hoisted load to a line before the loop, and a load in a header's function (for example, a
    conversion of a half) to the header's line. The line that lacks the instruction is the kernel's only line with this
    space and operation that has fewer threads than as written. If there are several, the instruction is not moved.
    """
    moved = dict(theirs)
    for key in theirs.keys() - ours.keys():
        lacking = [
            k for k in ours if (k[1], *k[3:]) == (key[1], *key[3:]) and theirs.get(k, Side()).threads < ours[k].threads
        ]
        if len(lacking) == 1:
            moved[lacking[0]] = moved.get(lacking[0], Side()) + moved.pop(key)
    return moved


def _class(key: Key, one: Side, other: Side) -> str:
    """How a line's two sides compare. For these three classes, the SASS must show:

    merged: an instruction wider than as written, and the same number of bytes for all threads together.
    hoisted: a load of no greater width, run by fewer threads.
    duplicated: several instructions, run by different numbers of threads (as in an unrolled loop and its remaining
        iterations), which add up to the threads as written. Each thread does what is written, but in other requests.
    """
    *_, space, op = key
    if (one.units, one.threads) == (other.units, other.threads):
        off_in_whole_warps = other.predicated and one.requests < other.requests
        if space == "shared" or one.requests == other.requests or off_in_whole_warps:
            return "equal"
    if not one.requests or not other.requests:
        return "unexplained"
    if max(other.widths) > max(one.widths):
        return "merged" if one.bytes == other.bytes else "unexplained"
    if other.threads < one.threads and op == "load":
        return "hoisted"
    if other.threads == one.threads and len(set(other.instructions.values())) > 1:
        return "duplicated"
    return "unexplained"


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


def sanitizer_kernels(plan: Sequence, seen: Sequence, folder: Path, confirmed: Mapping) -> tuple[list[dict], list[str]]:
    """A row for each subject that a tool was run over, and notes on runs that did not end."""
    rows, ended_early = [], defaultdict(list)
    for number, (planned, traces) in enumerate(zip(plan, seen, strict=True)):
        found: dict[str, dict[str, set[Line]]] = {}
        for tool in TOOLS:
            log = folder / "sanitizer" / f"{number}-{tool}.log"
            if not log.exists():
                continue
            text = log.read_text(errors="replace")
            found[tool] = flagged(text, planned["kernels"], traces["sources"])
            if "SUMMARY" not in text or len(re.findall(rf"^{number}:\d", text, re.MULTILINE)) < len(planned["cases"]):
                ended_early[tool].append(planned["name"])
        if not found:
            continue
        # Memory past the end of a tensor was never written, so initcheck reports the line that memcheck reports.
        beyond = found.get("memcheck", {}).get("out-of-bounds", set())
        if found.get("initcheck", {}).get("uninitialised-read", {None}) <= beyond:
            found["initcheck"]["out-of-bounds"] = found["initcheck"].pop("uninitialised-read")
        hazards = {kind: detail for case in traces["cases"] for kind, detail in reversed(case["hazards"])}
        kinds = set().union(*found.values())
        accounted = set().union(*(SAME.get(kind, {kind}) for kind in kinds))
        here = confirmed["kernels"].get(planned["name"], {})
        rows.append(
            {
                "subject": planned["name"],
                "sanitizer": {tool: sorted(each) for tool, each in found.items()},
                "ours": sorted(hazards),
                "only there": {
                    kind: here.get(kind, "") for kind in sorted(kinds) if not hazards.keys() & SAME.get(kind, {kind})
                },
                "only here": {
                    kind: {"detail": detail, "mistake": here.get(kind, ""), "tools": silent(kind, detail, confirmed)}
                    for kind, detail in sorted(hazards.items())
                    if kind not in accounted
                },
            }
        )
    return rows, [f"{tool} did not run to its end on {', '.join(names)}." for tool, names in ended_early.items()]


def silent(kind: str, detail: str, confirmed: Mapping) -> str:
    """Why no tool reports a hazard: the reason of the first rule for this kind whose words are in the hazard's
    sentence.
    """
    return next((why for of, words, why in confirmed["silent"] if of == kind and words in detail), "")


def flagged(log: str, kernels: Sequence[str], sources: Mapping[str, str]) -> dict[str, set[Line]]:
    """The kinds of hazard that a log of compute-sanitizer reports for these kernels or their launches, each with the
    lines that the log names.
    """
    lines = [line.removeprefix("=========") for line in log.splitlines() if line.startswith("=========")]
    own = re.compile(rf"(?<![\w:])(?:{'|'.join(kernels)})\b")
    kinds: dict[str, set[Line]] = {}
    for record in re.split(r"^(?= \S)", "\n".join(lines), flags=re.MULTILINE):
        kind = next((kind for pattern, kind in RECORDS if re.search(pattern, record)), None)
        if not kind or (kind != "bad-launch" and not own.search(record)):
            continue
        places = {(name, int(line)) for name, line in re.findall(r" in (?:\S*/)?(\w+)\.cu:(\d+)", record)[:1]}
        if kind == "divergent-barrier" and not any(_has_block_barrier(place, sources) for place in places):
            kind = "divergent-warp"
        kinds.setdefault(kind, set()).update(places)
    return kinds


def _has_block_barrier(place: Line, sources: Mapping[str, str]) -> bool:
    name, line = place
    return "__syncthreads" in sources[name].splitlines()[line - 1]


def markdown(
    lines: Sequence[Mapping],
    witnesses: Mapping[tuple[str, bool, bool], int],
    kernels: Sequence[Mapping],
    notes: Sequence[str],
    versions: Mapping[str, str],
) -> tuple[str, bool]:
    """The whole table, and whether everything is as it must be."""
    remainder = [row for row in lines if row["class"] != "equal"]
    tools = {name: re.search(r"(?:Version|release) ([\d.]+\d)", told) for name, told in versions.items()}
    told = ", ".join(f"{name} {found[1]}" for name, found in tools.items() if found)
    text = [
        "# The tracer beside NVIDIA's tools",
        "",
        "Written by `python -m tests.benchmarks.microscope table FOLDER` from what `collect FOLDER` found on an H200",
        f"({told}, PyTorch {versions['torch']}).",
        "`table.py` explains the terms.",
        "",
        "## Nsight Compute: requests and sectors of global memory, wavefronts of shared memory",
        "",
        *_table(["source lines", "all", *CLASSES, "share equal"], _shares(lines)),
        "",
        "A line is equal if it is equal in every profiled case of its kernel. The other"
        f" {len(remainder)} lines, each in its worst case, with the tracer's number first:",
        "",
    ]
    cells = [
        [row["subject"], row["line"], f"{row['space']} {row['op']}", row["case"]]
        + [" / ".join(map(str, row[part])) for part in ("requests", "units", "threads")]
        + [row["class"], row["why"]]
        for row in sorted(remainder, key=lambda row: (-CLASSES.index(row["class"]), row["subject"], row["line"]))
    ]
    numbers = ["requests", "sectors or wavefronts", "threads"]
    columns = ["kernel", "line", "access", "case", *numbers, "class", "what nvcc did"]
    text += [
        *_table(columns, cells),
        "",
        "The next table compares the hardware's own counters, summed over a call, with the tracer's totals. For shared"
        " loads, the hardware sometimes counts more wavefronts than Nsight Compute finds in all instructions. If all"
        " lines of a call are equal, the tracer's total is that of Nsight Compute.",
        "",
    ]
    columns = ["counter", "calls with equal lines only", "of these, same total", "other calls", "of these, same total"]
    counts = [
        [f"`{counter}`"]
        + [
            number
            for equal in (True, False)
            for number in (_sum(witnesses, counter, equal), witnesses[counter, True, equal])
        ]
        for counter in sorted({counter for counter, *_ in witnesses})
    ]
    text += [*_table(columns, counts), "", "## compute-sanitizer", ""]
    there = [(row["subject"], kind, why) for row in kernels for kind, why in row["only there"].items()]
    alone = [(row["subject"], kind, told) for row in kernels for kind, told in row["only here"].items()]
    theirs, ours = [row for row in kernels if any(row["sanitizer"].values())], [row for row in kernels if row["ours"]]
    both = [row for row in theirs if row["ours"]]
    text += [
        f"compute-sanitizer flags {len(theirs)} of {len(kernels)} kernels. The tracer flags {len(both)} of these,"
        f" {len(theirs) - len(there)} of them with each kind that compute-sanitizer reports, and"
        f" {len(ours) - len(both)} more kernels.",
        "",
    ]
    counts = [
        [kind]
        + [sum(kind in row["sanitizer"].get(tool, ()) for row in kernels) for tool in TOOLS]
        + [sum(kind in row["ours"] for row in kernels)]
        for kind in sorted(
            {kind for row in kernels for found in (row["ours"], *row["sanitizer"].values()) for kind in found}
        )
    ]
    text += [*_table(["kind", *TOOLS, "the tracer"], counts), "", "Hazards that only compute-sanitizer reports:", ""]
    text += [
        *_table(["kernel", "kind", "why"], there),
        "",
        "The last table has the hazards that only the tracer reports. No tool reports them, for one of these reasons:",
        "",
    ]
    rules = list(dict.fromkeys((kind, told["tools"]) for _, kind, told in alone))
    text += [f"{number}. {kind}: {why}" for number, (kind, why) in enumerate(rules, 1)]
    cells = [[subject, kind, told["mistake"], rules.index((kind, told["tools"])) + 1] for subject, kind, told in alone]
    text += ["", *_table(["kernel", "kind", "the mistake, confirmed by hand", "reason"], cells)]
    text += ["", "## Notes", "", *(f"- {note}" for note in notes)]
    classes = Counter(row["class"] for row in lines)
    fine = bool(lines and kernels) and not classes["unexplained"] and classes["equal"] >= 0.95 * classes.total()
    reasons = [row["why"] for row in remainder] + [why for *_, why in there]
    reasons += [reason for *_, told in alone for reason in (told["mistake"], told["tools"])]
    return "\n".join(text) + "\n", fine and all(reasons)


def _shares(lines: Sequence[Mapping]) -> list[list]:
    """How many lines are in each class, by memory, by notebook, and in all."""
    groups = {f"{space} memory": [row for row in lines if row["space"] == space] for space in ("global", "shared")}
    for row in sorted(lines, key=lambda row: row["subject"]):
        part = row["subject"].partition("/")[0]
        groups.setdefault(part if part == "gallery" else f"notebook {part}", []).append(row)
    groups["all"] = lines
    rows = []
    for name, group in groups.items():
        of = Counter(row["class"] for row in group)
        rows.append([name, of.total(), *(of[each] for each in CLASSES), f"{of['equal'] / max(1, of.total()):.1%}"])
    return rows


def _sum(witnesses: Mapping[tuple[str, bool, bool], int], counter: str, equal: bool) -> int:
    return witnesses[counter, True, equal] + witnesses[counter, False, equal]


def _table(columns: Sequence[str], rows: Iterable[Sequence]) -> list[str]:
    """A table in Markdown, as lines."""
    return [f"| {' | '.join(map(str, row))} |" for row in (columns, ["---"] * len(columns), *rows)]
