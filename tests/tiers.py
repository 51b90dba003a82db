"""Which of many examples of one kind `make test-slow` runs; `make test-seldom` runs the others, before a release."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import TypeVar

import pytest
from _pytest.mark import ParameterSet

Example = TypeVar("Example")


def tiered(
    examples: Iterable[Example], kinds: Callable[[Example], Iterable[Hashable]], name: Callable[[Example], str] = str
) -> list[ParameterSet]:
    """Each example as a parameter: slow if it is the first of one of its `kinds`, and otherwise seldom.

    An example without a kind is seldom.
    """
    found: list[ParameterSet] = []
    seen: set[Hashable] = set()
    for each in examples:
        own = set(kinds(each))
        found.append(pytest.param(each, id=name(each), marks=pytest.mark.seldom if own <= seen else pytest.mark.slow))
        seen |= own
    return found
