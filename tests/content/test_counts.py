"""The minutes and points that the instructor's page states are those of the released notebooks."""

from __future__ import annotations

import re

import pytest

from autograder.classroom import ROOT, Classroom
from tests.benchmarks.notebooks import counts

pytestmark = pytest.mark.quick

PAGE = (ROOT / "solutions" / "README.md").read_text()
# Name, whether it is optional, minutes and points: a row of the table at the head of the page.
ROWS = {
    name: (bool(optional), int(minutes), int(points))
    for name, optional, minutes, points in re.findall(
        r"^\| \[([\w-]+)\]\([^)]*\)(, optional)? \|[^|]*\| (\d+) \| (\d+) \|$", PAGE, re.MULTILINE
    )
}
LONGEST = 150  # minutes of a notebook of the core
CORE_POINTS = 142


def test_the_table_has_every_notebook() -> None:
    assert list(ROWS) == list(Classroom(ROOT).assignments)
    assert sum(points for optional, _, points in ROWS.values() if not optional) == CORE_POINTS


@pytest.mark.parametrize("name", ROWS)
def test_minutes_and_points_are_counted(name: str) -> None:
    optional, minutes, points = ROWS[name]
    found = counts(name)
    assert (minutes, points) == (found.minutes, found.points)
    section = PAGE.split(f"\n## {int(name[:2]):02}")[1].split("\n## ")[0]
    assert f"**{found.minutes} minutes" in " ".join(section.split())
    assert optional or found.minutes <= LONGEST
