"""Why is this answer wrong? The list of all rules, in order: a rule supersedes all rules below it.

A rule looks for one mistake, in one kind of evidence, and returns the facts for its sentence (texts.py), or None. Its
id is the name of its function. `explain` gives the first rule that finds something. What a message of a compiler or of
CUDA means is in a list of its own (from_messages.py), because a builder imports no PyTorch, and because nothing else is
known when a build or a call has failed.
"""

from __future__ import annotations

import enum
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from course.explain import from_source as source
from course.explain import from_trace as trace
from course.explain import from_values as values
from course.explain.counts import Work
from course.explain.texts import Found


@dataclass(frozen=True)
class Evidence:
    """What is known about an answer: its CUDA source, a wrong output, which thread stored what, a launch's work."""

    text: source.SourceText | None = None
    values: values.Wrong | None = None
    stores: trace.Stores | None = None
    work: Work | None = None


class Certainty(enum.IntEnum):
    """How much a rule's sentence says."""

    SEEN = 1  # it describes what was seen, and what may have caused this
    PATTERN = 2  # it describes a pattern that has a single cause
    KNOWN = 3  # it names a mistake that the task, the source or the threads' work shows


@dataclass(frozen=True)
class Rule:
    """A mistake: the part of the evidence that `find` reads, and how much its sentence says.

    With `when`, the rule also needs a wrong output, for which `when` holds.
    """

    reads: str
    find: Callable[[Any], dict[str, object] | None]
    certainty: Certainty
    when: Callable[[values.Wrong], bool] | None = None

    @property
    def id(self) -> str:
        return self.find.__name__

    def apply(self, evidence: Evidence) -> Found | None:
        """What the rule finds; None if it finds nothing, or if the evidence lacks what it reads."""
        part, wrong = getattr(evidence, self.reads), evidence.values
        if part is None or (self.when and (wrong is None or not self.when(wrong))):
            return None
        facts = self.find(part)
        return None if facts is None else Found(self.id, facts)


SEEN, PATTERN, KNOWN = Certainty
RULES = (
    Rule("text", source.not_shared, KNOWN, when=bool),
    Rule("text", source.no_first_value, KNOWN, when=bool),
    Rule("values", values.known_mistake, KNOWN),
    Rule("text", source.launch_exchanged, KNOWN),
    Rule("text", source.wrong_factor, KNOWN),
    Rule("text", source.one_dimension, KNOWN),
    Rule("text", source.unread_dimension, KNOWN),
    Rule("text", source.narrow_index, KNOWN),
    Rule("text", source.fraction_lost, KNOWN),
    Rule("text", source.late_start, KNOWN),
    Rule("text", source.shifted_load, KNOWN),
    Rule("text", source.adds_to_output, KNOWN, when=values.is_unwritten),
    Rule("stores", trace.none_stored, KNOWN),
    Rule("stores", trace.unset_memory, KNOWN),
    Rule("stores", trace.same_elements, KNOWN),
    Rule("stores", trace.axes_exchanged, KNOWN),
    Rule("stores", trace.float_for_float4, KNOWN),
    Rule("stores", trace.tail_repeated, KNOWN),
    Rule("stores", trace.too_few_threads, KNOWN),
    Rule("stores", trace.gaps, KNOWN),
    Rule("stores", trace.guard, KNOWN),
    Rule("work", trace.one_does_all, KNOWN),
    Rule("work", trace.each_does_all, KNOWN),
    Rule("work", trace.stored_again, KNOWN),
    Rule("work", trace.idle_threads, KNOWN),
    Rule("work", trace.sizes_exchanged, KNOWN),
    Rule("values", values.made_nan, PATTERN),
    Rule("values", values.spread_nan, PATTERN),
    Rule("values", values.stored_into_input, PATTERN),
    Rule("values", values.nothing_written, PATTERN),
    Rule("values", values.written_periodically, PATTERN),
    Rule("values", values.edge_unwritten, PATTERN),
    Rule("values", values.tail_unwritten, PATTERN),
    Rule("values", values.unchanged_input, PATTERN),
    Rule("values", values.transposed, PATTERN),
    Rule("values", values.low_precision, PATTERN),
    Rule("values", values.narrow_operands, PATTERN),
    Rule("values", values.constant_factor, PATTERN),
    Rule("values", values.whole_numbers, PATTERN),
    # A hazard whose line the tracer knows supersedes the rules below, but not those above (Verdict.located).
    Rule("values", values.all_zero, SEEN),
    Rule("values", values.misplaced, SEEN),
    Rule("values", values.some_zero, SEEN),
    Rule("values", values.model_has_weights, SEEN),
)
_PLACES = {rule.id: place for place, rule in enumerate(RULES)}


def explain(evidence: Evidence) -> Found | None:
    """What the first rule finds that finds something; None if no rule does."""
    return next((found for rule in RULES if (found := rule.apply(evidence)) is not None), None)


def certainty(found: Found | None) -> int:
    """How much the sentence of a rule says; 0 for None."""
    return RULES[_PLACES[found.id]].certainty if found else 0


def supersedes(found: Found, other: Found | None) -> bool:
    """Whether what one rule found is said in place of what another found."""
    return other is None or _PLACES[found.id] < _PLACES[other.id]


def may_supersede(reads: str, found: Found | None) -> bool:
    """Whether a rule that reads this part of the evidence would supersede what was found."""
    return any(rule.reads == reads and supersedes(Found(rule.id), found) for rule in RULES)
