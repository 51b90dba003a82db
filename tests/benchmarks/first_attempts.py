"""Writes docs/first-attempts.md: what the verdicts say to a beginner's wrong attempts.

Run with `python -m tests.benchmarks.first_attempts`. Each file of the gallery with a line `first attempt:`, and each
attempt of `later_attempts.py`, is judged in the emulator.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from course.referee.judge import judge
from course.referee.verdict import Verdict
from course.worker.protocol import Answer
from tests.benchmarks.later_attempts import ATTEMPTS, attempts
from tests.gallery import Mistake, gallery

PAGE = Path(__file__).parents[2] / "docs" / "first-attempts.md"
HEAD = """\
# First attempts

This page shows what the verdict says about wrong attempts at the exercises of notebooks 00, 01, 03 and 04. A review of
these notebooks made the attempts as a beginner would make them. The last column is a reader's judgement: do the words
of the verdict alone lead to the fix? `passes` means that the answer does what the exercise asks for but has another
flaw, and that the verdict has a remark about this flaw. The attempts are rebuilt from the review's descriptions. They
are the files of `tests/gallery/` with a line `first attempt:`. `python -m tests.benchmarks.first_attempts` judges the
attempts in the emulator and writes this page.

The tree reduction of notebook 03 is now in notebook 06, and the type dispatch of notebook 03 is now in notebook 07. The
attempts at these exercises moved with them. This page has no predictions. It also leaves out two attempts that are
right (one without a launch check, and one in which the compiler deduces the type of a template), and the attempts that
the review counts but does not describe. One more attempt passes: in notebook 01's 2-D grid, a wrapper that does not
compare the number of blocks in y with 65,535. The emulator has no room for a matrix with so large a number of rows.

[Mutants](mutants.md) is a similar page about solutions with a random change.

{count} attempts: {judged}.

| exercise | mistake | the verdict says | leads to the fix |
|---|---|---|---|
"""
LATER_HEAD = """
## The other notebooks

The next table shows {count} attempts at the exercises of notebooks 02 and 05 to 09. Each attempt is a solution with one
change (`tests/benchmarks/later_attempts.py`). The questions of a notebook judge an attempt in the order of the
notebook, and the verdict is from the first question that refuses the attempt. `tests/gallery/` has more mistakes at
these exercises.

When the attempts were first judged: {at_first}.
Now, with the sentences and cases that were added since then: {judged}.

| exercise | mistake | the verdict says | leads to the fix |
|---|---|---|---|
"""


def said(verdict: Verdict, mistake: Mistake) -> str:
    """What the verdict says without the inputs and values of its case."""
    message = " ".join([verdict.message, *verdict.remarks])
    if not re.search(mistake.says, message):
        raise SystemExit(f"{mistake.name} does not get the words of its line `says:` but: {message}")
    return shortened(message)


def shortened(message: str) -> str:
    """A verdict's words without the inputs and values of its case."""
    text = re.sub(r"^\d+ of \d+ cases failed\. |(?<=\. )With [^:]*: ", "", " ".join(message.split()))
    text = re.sub(r"^With [^:]*: ", "", text)
    text = re.sub(r"^\d+ of \d+ elements? of the output (?:is|are) wrong\. (?:At .* expected \S+\. )?", "", text)
    return text


def escaped(text: str) -> str:
    """`text` as a cell of a table: Markdown's special characters are escaped, except in code."""
    parts = text.replace("|", "\\|").split("`")
    parts[::2] = [re.sub(r"([<_*])", r"\\\1", part) for part in parts[::2]]
    return "`".join(parts)


def counted(judged: Counter[str]) -> str:
    """How many attempts have each judgement, in words."""
    return ", ".join(f"{judged[leads]} {leads}" for leads in ("yes", "too little", "misleading", "passes"))


def verdict_of(answer: Answer, tasks: Sequence[str]) -> str:
    """What the first task that refuses the answer says about it; if none does, the last one's words and all remarks."""
    remarks: dict[str, None] = {}
    for task in tasks:
        verdict = judge(answer, task, toolchain="emulator")
        if not verdict.correct:
            break
        remarks |= dict.fromkeys(verdict.remarks)
    return shortened(" ".join([verdict.message, *(() if not verdict.correct else remarks)]))


def main() -> None:
    rows, judged = [], Counter()
    for mistake in gallery():
        if not mistake.first_attempt:
            continue
        exercise, leads = (part.strip() for part in mistake.first_attempt.rsplit(",", 1))
        verdict = judge(mistake.answer, mistake.task, toolchain="emulator")
        cells = exercise, escaped(mistake.title), escaped(said(verdict, mistake)), leads
        rows.append((exercise, f"| {' | '.join(cells)} |"))
        judged[leads] += 1
    rows.sort(key=lambda row: row[0])
    page = HEAD.format(count=len(rows), judged=counted(judged)) + "".join(f"{row}\n" for _, row in rows)
    later = [
        f"| {attempt.cell} | {escaped(attempt.title)} | {escaped(verdict_of(answer, tasks))} | {attempt.leads} |\n"
        for attempt, answer, tasks in attempts()
    ]
    head = LATER_HEAD.format(
        count=len(later),
        at_first=counted(Counter(attempt.at_first or attempt.leads for attempt in ATTEMPTS)),
        judged=counted(Counter(attempt.leads for attempt in ATTEMPTS)),
    )
    PAGE.write_text(page + head + "".join(later))


if __name__ == "__main__":
    main()
