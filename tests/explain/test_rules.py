"""One ordered list of rules, and all sentences in one file, which no code reads."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from autograder.classroom import ROOT
from course.explain import texts
from course.explain.from_messages import ERRORS, FAILED_CALLS
from course.explain.reports import Reason
from course.explain.rules import RULES
from course.referee.judge import judge
from course.referee.memory import NEEDED
from course.tasks.case import COUNTS
from tests.explain import ids
from tests.gallery import Mistake, gallery

pytestmark = pytest.mark.quick
# What looks into a message that is not the course's own, and whose message it is.
SEARCHES = {
    "self.message.removesuffix(f' (<answer>, line {self.line})')": "Python's own addition to a SyntaxError",
}
# A hazard, a known mistake, the work of threads, a source, a budget.
IDS = ("00-guard-one-too-far", "01-adds", "00-index-within-the-block", "00-adds-to-the-output", "01-row-per-thread")
FAST = IDS[:1]


def composed() -> set[str]:
    """The ids that code gives to what it found."""
    found = {rule.id for rule in RULES} | {reason.id for reason in Reason}
    found |= {name for name, _ in (*ERRORS, *FAILED_CALLS)}
    for path in ROOT.glob("course/**/*.py"):
        found |= set(re.findall(r'\bFound\(\s*"(\w+)"', path.read_text()))
    found |= {f"no_{count}" for count in NEEDED}
    return found | {f"over_{count}" for count in COUNTS if count != "threads_per_element"}


def test_each_id_has_a_sentence_and_each_sentence_an_id() -> None:
    assert composed() == set(texts.TEXTS) - {"instead"}
    assert len({rule.id for rule in RULES}) == len(RULES)


def searches_in(path: Path) -> Iterator[str]:
    """The expressions of a Python file that search or compare what a sentence says."""

    def is_said(node: ast.AST) -> bool:
        names = {each.attr for each in ast.walk(node) if isinstance(each, ast.Attribute)}
        return not names.isdisjoint(("detail", "message", "why"))

    looks = ("startswith", "endswith", "removeprefix", "removesuffix", "find", "index", "count", "partition")
    looks += ("rpartition", "split")
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Compare) and any(isinstance(op, ast.In | ast.NotIn | ast.Eq) for op in node.ops):
            if is_said(node):
                yield ast.unparse(node)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            of = node.func.value
            if (node.func.attr in looks and is_said(of)) or (
                isinstance(of, ast.Name) and of.id == "re" and any(map(is_said, node.args))
            ):
                yield ast.unparse(node)


def test_no_sentence_is_searched() -> None:
    paths = sorted(path for folder in ("course", "autograder") for path in ROOT.glob(f"{folder}/**/*.py"))
    found = {text: path.name for path in paths for text in searches_in(path)}
    assert {text: name for text, name in found.items() if text not in SEARCHES} == {}
    assert set(SEARCHES) <= set(found), "an exception that is no longer needed"


@pytest.mark.parametrize(
    "mistake",
    [pytest.param(m, id=m.name, marks=() if m.name in FAST else pytest.mark.slow) for m in gallery() if m.name in IDS],
)
def test_verdicts_are_the_same_with_ids_in_place_of_texts(mistake: Mistake, monkeypatch: pytest.MonkeyPatch) -> None:
    before = judge(mistake.answer, mistake.task, toolchain="emulator")
    ids.replace_texts(monkeypatch)
    after = judge(mistake.answer, mistake.task, toolchain="emulator")
    assert ids.facts(after) == ids.facts(before) and after.message != before.message
