"""Verdicts with the ids of sentences in place of the sentences."""

from __future__ import annotations

from dataclasses import replace

import pytest

from course.errors import Hazard
from course.explain import texts
from course.referee.verdict import Verdict
from course.worker import protocol
from course.worker.messages import decoded


def facts(verdict: Verdict) -> list[object]:
    """What a verdict decides, without its texts."""
    cases = [(case.inputs, case.mistake, case.found and case.found.id, case.telling) for case in verdict.failed]
    return [verdict.correct, verdict.compiled, [hazard.kind for hazard in verdict.hazards], cases]


def replace_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Replace each sentence by its id, and what a worker says about a hazard by the hazard's id."""
    ids = {name: name if isinstance(text, str) else dict.fromkeys(text, name) for name, text in texts.TEXTS.items()}
    monkeypatch.setattr(texts, "TEXTS", ids)
    others = dict(protocol.READERS)

    def hazard(data: dict) -> Hazard:
        found = decoded(Hazard, data, others)
        return replace(found, detail=found.id or found.kind, seen=found.seen and found.id)

    monkeypatch.setitem(protocol.READERS, Hazard, hazard)
