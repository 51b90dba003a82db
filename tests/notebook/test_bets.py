"""`bet`: one guess, which is kept before the times are shown; a later change leaves a trace."""

import math

import pytest

from course.errors import CourseError
from course.notebook import bets
from course.notebook.bets import bet, bet_in, guess_in, settle

pytestmark = pytest.mark.quick

NAME = "x along i over x along j"
TIMES = {"x along i": 2.0, "x along j": 18.0, "another": 1.0}


@pytest.fixture(autouse=True)
def new_kernel():
    """No bets and no comparisons of an earlier test."""
    bets._bets.clear()
    bets._shown.clear()


def test_a_bet_is_held_against_the_times():
    assert bet(NAME, 4).guess == 4
    assert settle({"x along i": 2.0, "another": 1.0}) == []
    assert settle(TIMES) == [("x along i", "x along j", 4, 9.0)]


def test_a_guess_may_change_until_the_times_are_known():
    bet(NAME, 40)
    assert bet(NAME, 4).guess == 4
    settle(TIMES)
    changed = bet(NAME, 9)
    assert changed.guess == 4 and "stays 4" in repr(changed)
    assert "next comparison" in repr(bet(NAME, 4))  # the unchanged cell again: no complaint


def test_a_bet_after_the_reveal_says_so_and_does_not_count():
    settle(TIMES)
    late = bet(NAME, 9)
    assert late.late and "late bet" in repr(late)
    assert settle(TIMES) == []


def test_two_variants_that_were_never_compared_with_each_other_are_not_revealed():
    settle({"x along i": 2.0, "another": 1.0})
    settle({"x along j": 18.0, "another": 1.0})
    assert not bet(NAME, 9).late


def test_an_emptied_cell_says_that_its_bet_is_kept():
    bet(NAME, 4)
    assert "bet of 4" in repr(bet(NAME, None)) and bet(NAME, None).guess == 4


def test_no_guess_yet_is_no_error_and_is_not_kept():
    for nothing in (None, ...):
        unmade = bet(NAME, nothing)
        assert "No bet yet" in repr(unmade)
    assert "No bet yet" in repr(bet(NAME))
    assert bet(NAME, 4).guess == 4


@pytest.mark.parametrize("guess", ["9", True, 0, -1, math.nan, math.inf, [9]])
def test_a_bet_that_is_no_number_is_refused(guess):
    with pytest.raises(CourseError, match="A bet is a number above 0"):
        bet(NAME, guess)


@pytest.mark.parametrize("guess", [pytest.param(sign * 10**5000, id=f"{sign}") for sign in (1, -1)] + ["9" * 10**6])
def test_what_is_too_long_to_show_is_refused_in_a_short_sentence(guess):
    with pytest.raises(CourseError, match=r"^A bet is a number above 0.{,100}$"):
        bet(NAME, guess)


@pytest.mark.parametrize("name", ["x along i", " over x along j", "x over ", 3, None])
def test_a_bet_without_two_variants_is_refused(name):
    with pytest.raises(CourseError, match="names two variants"):
        bet(name, 2)


@pytest.mark.parametrize(
    ("cell", "found"),
    [
        (f'bet("{NAME}", 9)  # mine', NAME),
        (f'bet("{NAME}", guess=0.5)', NAME),
        (f'bet("{NAME}", None)', NAME),
        (f'bet("{NAME}")', NAME),
        ("bet(name, 9)", None),
        ("x = 1", None),
        ("bet(", None),
        ("\0", None),
        ("(" * 5000, None),
    ],
)
def test_the_bet_of_a_cell_is_read_and_not_run(cell, found):
    assert bet_in(cell) == found


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ("9", 9),
        ("guess=0.5", 0.5),
        ("None", None),
        ("", None),
        ("-1", None),
        ("True", None),
        ("1 / 3", None),
        ("x", None),
    ],
)
def test_the_guess_of_a_cell_is_a_number_that_bet_would_take(arguments, found):
    assert guess_in(f'bet("{NAME}", {arguments})  # mine') == found
