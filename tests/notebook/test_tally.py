"""`tally`: the points so far, by answer, with the names that the checks use."""

import pytest

from course.notebook import tally as module
from course.notebook.tally import note, tally

pytestmark = pytest.mark.quick

QUESTIONS = {"blocks": 1, "adder.add": 3, "fused.axpy": 2}


@pytest.fixture(autouse=True)
def nothing_checked(monkeypatch):
    monkeypatch.setattr(module, "_earned", {})


def test_a_new_kernel_has_no_points_and_misses_all():
    table = tally(QUESTIONS, hidden=1)
    assert table.caption.startswith("0 of 6 points so far; hidden cases add up to 1 more, but only in a class")
    assert [row[2] for row in table.rows[1:]] == ["not checked yet"] * 3


def test_points_are_summed_over_the_checks_of_an_answer_and_the_last_run_counts():
    note("blocks", "first_kernel_blocks", 0.0, 1)
    note("blocks", "first_kernel_blocks", 1.0, 1)
    note("adder.add", "vector_add", 2.0, 2)
    note("adder.add", "vector_add_few_sectors", 0.0, 1)
    table = tally(QUESTIONS)
    assert table.caption == "3 of 6 points so far"
    assert table.rows[1:] == [
        ("blocks", "1 of 1", "✓"),
        ("adder.add", "2 of 3", "not right yet"),
        ("fused.axpy", "0 of 2", "not checked yet"),
    ]


def test_no_answer_yet_is_not_called_wrong(shell, emulated):
    shell.run_cell("from course import check, tally\nblocks = None", store_history=True).raise_error()
    shell.run_cell('check("first_kernel_blocks", blocks, points=1)', store_history=True).raise_error()
    assert tally({"blocks": 1}).rows[1] == ("blocks", "0 of 1", "not answered yet")


def test_checks_of_a_shell_are_counted_by_what_their_cells_say(shell, emulated):
    shell.run_cell("from course import check, tally\nblocks = 3907", store_history=True).raise_error()
    shell.run_cell('check("first_kernel_blocks", blocks, points=1)', store_history=True).raise_error()
    counted = shell.run_cell('tally({"blocks": 1})').result
    assert counted.caption == "1 of 1 points so far"
