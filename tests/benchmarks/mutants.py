"""Writes docs/mutants.md: what the verdicts say about mutants, solutions with one change, drawn by a seed.

Run with `python -m tests.benchmarks.mutants RAW`. Each `%%cuda` answer of the solutions is changed by the rules below,
in one place. The mutants are judged in the order of the draw. Each judged mutant becomes a row of RAW, a file of JSON
lines, and mutants that have a row are not judged again. A script decides whether a verdict names the changed line. If
the verdict does not, a reader decides whether it names the effect: `mutants_judged.py` has these decisions, by the key
of the mutant.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import statistics
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from course.errors import CourseError
from course.referee.judge import judge
from course.referee.verdict import Verdict
from course.worker.protocol import Answer
from tests.benchmarks.first_attempts import escaped, shortened
from tests.benchmarks.later_attempts import ROOT, exercises
from tests.benchmarks.mutants_judged import JUDGED, NOTES

PAGE = ROOT / "docs" / "mutants.md"
SEED, COUNT = 20261125, 115
# The rules: a pattern, and what replaces it.
RULES = {
    "operator": [
        (r"(?<=[\w)] )<(?= [\w(])", "<="),
        (r"(?<=[\w)] )\+(?= [\w(])", "-"),
        (r"(?<=[\w)] )\*(?= [\w(])", "+"),
        (r"&&", "||"),
        (r"(?<= )\+=(?= )", "="),
        (r"(?<= )/(?= )", "%"),
    ],
    "index": [
        (r"threadIdx\.x", "threadIdx.y"),
        (r"threadIdx\.y", "threadIdx.x"),
        (r"blockIdx\.x", "blockIdx.y"),
        (r"blockDim\.x", "gridDim.x"),
        (r"(?<=\[)i\b", "j"),
        (r"(?<=\[)j\b", "i"),
        (r"\bk0 \+ ", ""),
        (r"\[tx\]", "[ty]"),
        (r"\[ty\]", "[tx]"),
    ],
    "bound": [
        (r"(?<=< )N\b", "N - 1"),
        (r"(?<=< )N\b", "M"),
        (r"(?<=< )M\b", "N"),
        (r"(?<=< )K\b", "K - 1"),
        (r"(?<=< )n\b", "n + 1"),
        (r"(?<== )0(?=;)", "1"),
    ],
    "barrier": [(r"__syncthreads\(\);", ";"), (r"__shared__ ", "")],
    "type": [
        (r"\bfloat(?= \w+ = )", "int"),
        (r"\bint64_t\b(?= \w+ = )", "int8_t"),
        (r"data_ptr<float>", "data_ptr<double>"),
        (r"\bfloat4\b", "float2"),
    ],
    "launch": [
        (r"<<<([^,>]+), ([^,>]+)(?=[,>])", r"<<<\2, \1"),
        (r"(?<=<<<)([^,>]+)", "1"),
        (r"(?<=\()A\.data_ptr<float>\(\), (?=B)", "B.data_ptr<float>(), "),
        (r"TORCH_CHECK\([^;]*;", ";"),
        (r"torch::empty_like\(B\)", "torch::empty_like(A)"),
        (r"\bM, N(?=\);)", "N, M"),
    ],
}
HEAD = """\
# Mutants

This page shows what the verdict says about mutants. A mutant is a solution with one change, made by a rule: an
operator, an index, a bound, a barrier, a type or an argument of a launch is replaced. A seed puts all possible mutants
in a random order. The first ones are judged in the emulator, with the questions of their notebooks.

{notes}
## The mutants of seed {seed}

The first {drawn} mutants of this seed were judged again after sentences and cases had been added for them. {wrong} of
these mutants are wrong answers.

| | all {wrong} | the {built} that build |
|---|---:|---:|
{shares}
| **line or effect** | **{share:.0%}** | **{share_built:.0%}** |

The median time to a verdict was {median:.1f} s. Apart from endless loops, the slowest verdict took {slowest:.1f} s.

`python -m tests.benchmarks.mutants mutants.jsonl` judges the same mutants again into a new file and writes this page.

## Wrong answers

| | answer | changed | the verdict says | names | why |
|---:|---|---|---|---|---|
{table}

## Mutants that pass

{passing} pass. "Equivalent" means that the change makes no difference to what the question asks.

| | answer | changed | the verdict says | judged | why |
|---:|---|---|---|---|---|
{equivalent}
"""
VERDICTS = "line", "effect", "too little", "misleading", "passes"


@dataclass(frozen=True)
class Mutant:
    """A solution with one change: its text, its key, and the changed line: its number (from 1), before and after."""

    answer: str
    text: str
    kind: str
    key: str
    line: int
    before: str
    after: str


def mutants_of(answer: str, text: str) -> Iterator[Mutant]:
    """Every change that the rules allow."""
    code = re.sub(r"//[^\n]*|^\s*#[^\n]*", lambda match: " " * len(match[0]), text, flags=re.MULTILINE)
    for kind, rules in RULES.items():
        for pattern, new in rules:
            for match in re.finditer(pattern, code):
                made = match.expand(new)
                changed = text[: match.start()] + made + text[match.end() :]
                line = text.count("\n", 0, match.start())
                column = match.start() - text.rfind("\n", 0, match.start())
                before, after = (version.split("\n")[line].strip() for version in (text, changed))
                if before != after:
                    key = " ".join(f"{answer} {line + 1}:{column} {match[0]} → {made}".split())
                    yield Mutant(answer, changed, kind, key, line + 1, before, after)


def drawn(seed: int) -> Iterator[Mutant]:
    """All mutants in the order in which they are drawn: the kinds take turns, and each turn draws an answer anew."""
    draw = random.Random(seed)
    by_kind: dict[str, list[Mutant]] = {kind: [] for kind in RULES}
    for answer, (text, _, _) in exercises().items():
        if text.startswith("%%cuda"):
            for mutant in mutants_of(answer, text):
                by_kind[mutant.kind].append(mutant)
    while any(by_kind.values()):
        for mutants in filter(None, by_kind.values()):
            answer = draw.choice(sorted({mutant.answer for mutant in mutants}))
            yield mutants.pop(draw.choice([n for n, mutant in enumerate(mutants) if mutant.answer == answer]))


def words(verdict: Verdict) -> str:
    """The verdict's message, and the hazards that the message leaves out."""
    hazards = (hazard.detail for hazard in verdict.hazards if hazard.detail not in verdict.message)
    return " ".join(" ".join([verdict.message, *hazards]).split())


def judged(mutant: Mutant, function: str, tasks: tuple[str, ...]) -> dict[str, object]:
    """The row of a mutant: what the first question that refuses it says, or the last question if none does."""
    seconds, said, outcome, remarks = [], "", "passes", []
    for task in tasks:
        start = time.monotonic()
        try:
            verdict = judge(Answer.of_cell(mutant.text, function), task, toolchain="emulator")
        except CourseError as error:
            said, outcome = str(error), "error"
        else:
            said, remarks = words(verdict), [*remarks, *verdict.remarks]
            if any(hazard.kind == "timeout" for hazard in verdict.hazards):
                outcome = "endless loop"
            elif not verdict.compiled:
                outcome = "does not build"
            elif not verdict.correct:
                outcome = "refused"
        seconds.append(round(time.monotonic() - start, 2))
        if outcome != "passes":
            break
    named = re.search(rf"\bline {mutant.line}\b", said, re.IGNORECASE) is not None and "__syncthreads" not in mutant.key
    row = {name: value for name, value in vars(mutant).items() if name != "text"}
    return row | {"outcome": outcome, "named": named, "seconds": seconds, "said": said, "remarks": remarks}


def rows_of(raw: Path) -> list[dict]:
    """The rows of a file of JSON lines."""
    return [json.loads(line) for line in raw.read_text().splitlines()]


def verdict_on(row: dict) -> tuple[str, str]:
    """What a row's verdict names, and the reader's reason."""
    return JUDGED.get(row["key"], ("line", "") if row["named"] else ("?", ""))


def page_of(rows: list[dict], seed: int) -> str:
    """The page about the rows."""
    names = {row["key"]: verdict_on(row)[0] for row in rows}
    wrong = [row for row in rows if row["outcome"] != "passes" or names[row["key"]] == "passes"]
    built = [row for row in wrong if row["outcome"] != "does not build"]
    counts, of_built = (Counter(names[row["key"]] for row in part) for part in (wrong, built))
    ended = [seconds for row in wrong if row["outcome"] != "endless loop" for seconds in row["seconds"]]

    def table(part: list[dict]) -> str:
        lines = []
        for row in part:
            changed = f"line {row['line']}: `{row['before']} → {row['after']}`".replace("|", "\\|")
            said = escaped(shortened(" ".join([row["said"], *row["remarks"]])))[:600]
            cells = rows.index(row) + 1, row["answer"], changed, said, *verdict_on(row)
            lines.append(f"| {' | '.join(map(str, cells))} |")
        return "\n".join(lines)

    return HEAD.format(
        seed=seed,
        drawn=len(rows),
        wrong=len(wrong),
        built=len(built),
        shares="\n".join(f"| {name} | {counts[name]} | {of_built[name]} |" for name in VERDICTS),
        share=(counts["line"] + counts["effect"]) / len(wrong),
        share_built=(of_built["line"] + of_built["effect"]) / len(built),
        median=statistics.median(ended),
        slowest=max(ended),
        notes=NOTES,
        table=table(wrong),
        passing=len(rows) - len(wrong),
        equivalent=table([row for row in rows if row not in wrong]),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description="Judge mutants of the solutions and write docs/mutants.md.")
    parser.add_argument("raw", type=Path, help="file of JSON lines that gets a row for each mutant")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--count", type=int, default=COUNT, help="how many are drawn, those that pass included")
    args = parser.parse_args()
    known = {row["key"] for row in rows_of(args.raw)} if args.raw.exists() else set()
    answers = exercises()
    for number, mutant in zip(range(1, args.count + 1), drawn(args.seed), strict=False):
        if mutant.key not in known:
            row = judged(mutant, *answers[mutant.answer][1:])
            with args.raw.open("a") as file:
                file.write(json.dumps(row, ensure_ascii=False) + "\n")
            print(number, row["outcome"], row["named"], row["seconds"], mutant.key, flush=True)
    PAGE.write_text(page_of(rows_of(args.raw), args.seed))


if __name__ == "__main__":
    main()
