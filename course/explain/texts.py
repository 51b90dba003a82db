"""Says what was found: the sentences of texts.toml, with the facts in them. No code reads a sentence."""

import re
import tomllib
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from course.explain.counts import Work
from course.explain.reports import Place, Subject, SubjectKind

# A sentence by its id, or several by the fact `case`.
TEXTS: dict[str, str | dict[str, str]] = tomllib.loads(
    Path(__file__).with_name("texts.toml").read_text(encoding="utf-8")
)
VERBS = ("reads", "writes", "changes (atomically)", "writes (asynchronously)")  # by the numbers of `tracer::operation`
NARROW = {24: "float", 11: "half precision or TF32", 8: "bfloat16"}  # by the bits of the significand


@dataclass(frozen=True)
class Found:
    """What was found: the id of its sentence, and the facts that the sentence gives."""

    id: str
    facts: Mapping[str, Any] = field(default_factory=dict)


def say(found: Found | None) -> str:
    """The sentence for what was found; "" for None."""
    if found is None:
        return ""
    text = TEXTS[found.id]
    form = text if isinstance(text, str) else text[found.facts["case"]]
    return form.format(**{**found.facts, **_in_words(found.facts)})


def _in_words(facts: Mapping[str, Any]) -> dict[str, str]:
    """The phrases that sentences may need for these facts, by the names that texts.toml has for them."""
    words: dict[str, str] = {}
    if isinstance(work := facts.get("work"), Work):
        array = f" of {work.array}" if work.array else ""
        words |= {"launch": _launch(work), "most_written": f"element {work.element:,}{array}"}
    if isinstance(subject := facts.get("subject"), Subject):
        words["memory"] = _memory(subject)
        if "length" in facts:
            side = "before the start of" if facts["element"] < 0 else "past the end of"
            is_tensor = subject.kind in (SubjectKind.ARGUMENT, SubjectKind.NEW_TENSOR)
            through = " through its memory" if is_tensor and len(subject.sizes) != 1 else ""
            place = f"element {facts['element']} of {facts['length']}, counted from 0{through}"
            words["outside"] = f"{side} {words['memory']}: {place}"
    for operation, verb in (("op", "verb"), ("op_before", "verb_before")):
        if operation in facts:
            words[verb] = VERBS[facts[operation]]
    if odd := re.findall(r"[^ -~]", str(facts.get("name", ""))):
        names = (f"{unicodedata.name(each, 'CONTROL CHARACTER')} (U+{ord(each):04X})" for each in odd)
        words["characters"] = " and ".join(names)
    if "in_kernel" in facts:
        words["caller"] = "the kernel" if facts["in_kernel"] else "the wrapper"
    if "bits" in facts:
        words["narrow"] = NARROW[facts["bits"]]
    if isinstance(instead := TEXTS["instead"], dict) and facts.get("name") in instead:
        words["instead"] = instead[facts["name"]]
    if "reasons" in facts:
        words["reasons"] = ", or ".join(say(Found("reason", {"case": reason})) for reason in facts["reasons"])
    return words


def _launch(work: Work) -> str:
    """The launch, its grid and its block."""
    blocks, threads = (
        " x ".join(f"{n:,}" for n in index[: 1 + max(i for i in range(3) if i == 0 or index[i] > 1)])
        for index in (work.grid, work.block)
    )
    some, many = "" if work.blocks == 1 else "s", "" if work.threads_per_block == 1 else "s"
    return f"The launch had {blocks} block{some} of {threads} thread{many}, {work.threads:,} in all"


def _memory(subject: Subject) -> str:
    sizes = subject.sizes
    words = {
        SubjectKind.ARGUMENT: f"{subject.name} of shape {sizes}",
        SubjectKind.NEW_TENSOR: f"the new tensor of shape {sizes}",
        SubjectKind.ALLOCATION: _allocation(*sizes) if subject.kind is SubjectKind.ALLOCATION else "",
        SubjectKind.VARIABLE: f"the variable {subject.name}",
        SubjectKind.SHARED_ARRAY: f"the shared array {subject.name}",
        SubjectKind.DYNAMIC_SHARED: "the dynamic shared memory",
    }
    return words.get(subject.kind, "")


def _allocation(size: int = 0, line: int = 0, *freed: int) -> str:
    """Memory of `size` bytes, with the lines that allocated and `freed` it, or 0 if they are not known."""
    where = f"the cudaMalloc in line {line}" if line else "a cudaMalloc"
    when = "".join(f", freed in line {each}" if each else ", freed before" for each in freed)
    return f"the {size} bytes of {where}{when}"


def indices(places: Iterable[Place]) -> str:
    """The blocks and threads of the places, as a parenthesis; "" for none."""
    found = [[str(index) if any(index[1:]) else str(index[0]) for index in (at.block, at.thread)] for at in places]
    blocks, threads = (list(dict.fromkeys(column)) for column in zip(*found, strict=True)) if found else ([], [])
    if not found:
        return ""
    if len(blocks) == 1 or len(threads) == 1:
        some, many = "s" if len(blocks) > 1 else "", "s" if len(threads) > 1 else ""
        return f" (block{some} {' and '.join(blocks)}, thread{many} {' and '.join(threads)})"
    return f" ({', '.join(f'block {block} thread {thread}' for block, thread in zip(blocks, threads, strict=True))})"
