"""`bet`: a guess that a learner makes before `compare` shows the times. It earns no points."""

import ast
import contextlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

from course.errors import CourseError

OVER = " over "  # between the two variants in the name of a bet
MAX_GUESS = 1e300  # a guess must be less than this, so that a float can hold it

_bets: dict[str, "Bet"] = {}  # of this kernel, by name
_shown: list[set[str]] = []  # for each comparison that this kernel has shown: its variants


@dataclass(frozen=True)
class Bet:
    """A guess of how many times as fast one variant of a comparison is as another.

    `name` has both variants, as in "x along i over x along j". `guess` is the time of the second divided by that of the
    first; None if there is no guess yet. It is `late` if the times had already been shown. `remark` is a sentence about
    this call of `bet`.
    """

    name: str
    guess: float | None
    late: bool = False
    remark: str = ""

    def __repr__(self) -> str:
        return self.remark


class Settled(NamedTuple):
    """A bet and its result: `factor` is the time of `other` divided by that of `variant`."""

    variant: str
    other: str
    guess: float
    factor: float


def bet(name: str, guess: float | None = None) -> Bet:
    """Guess how many times as fast one variant is as another, before `compare` shows the times.

    The last guess before the times are shown counts, and `compare` says how far off it is. Another run of the
    notebook's kernel forgets the bets; the cells make them again. A bet earns no points and costs none.

    Parameters
    ----------
    name : str
        The two variants, by the names that are passed to `compare`: "FASTER over SLOWER".
    guess : float or None, default None
        A number above 0. A number below 1 means that the first variant is slower. None means no guess yet.

    Returns
    -------
    Bet
        The guess that is kept. A notebook shows it in a sentence.

    Raises
    ------
    CourseError
        If `name` does not name two variants, or `guess` is not such a number.
    """
    if not isinstance(name, str) or not all(part.strip() for part in name.partition(OVER)):
        raise CourseError(f'A bet names two variants, as in bet("x along i over x along j", 4), not {name!r}.')
    before = _bets.get(name)
    if guess is None or guess is ...:
        if before:
            return replace(before, remark=f"Your bet of {before.guess:g} is still kept.")
        return Bet(name, None, remark="No bet yet: write a number in place of None and run this cell again.")
    if isinstance(guess, bool) or not isinstance(guess, int | float) or not 0 < guess < MAX_GUESS:
        # Python refuses to print an integer of more than 4300 digits.
        shown = "a number this large" if isinstance(guess, int) and abs(guess) >= MAX_GUESS else repr(guess)[:60]
        raise CourseError(f"A bet is a number above 0, such as 4 or 0.5, not {shown}.")
    late = any(set(variants(name)) <= together for together in _shown)
    if before and late:
        if before.guess == guess:
            return before
        stays = f"Your bet stays {before.guess:g}: the times were shown already, so {guess:g} is not kept."
        return replace(before, remark=stays)
    remark = f"Your bet: {guess:g} times as fast. The next comparison shows the ratio, if both times are known."
    if late:
        remark = f"The times were shown before you bet {guess:g}, so this is a late bet, which no comparison mentions."
    _bets[name] = Bet(name, guess, late, remark)
    return _bets[name]


def variants(name: str) -> tuple[str, str]:
    """The names of the two variants in the name of a bet."""
    first, _, second = name.partition(OVER)
    return first, second


def settle(median_ms: Mapping[str, float]) -> list[Settled]:
    """Fix the bets on the variants of a comparison that is shown now, and return those that are not late.

    `median_ms` has the times of all variants in milliseconds, by name.
    """
    _shown.append(set(median_ms))
    settled = []
    for each in _bets.values():
        variant, other = variants(each.name)
        if each.guess and not each.late and {variant, other} <= median_ms.keys():
            settled.append(Settled(variant, other, each.guess, median_ms[other] / median_ms[variant]))
    return settled


def bet_in(cell: str) -> str | None:
    """The name of the bet that a cell makes; None if the cell makes none. The cell is parsed and not run."""
    with contextlib.suppress(SyntaxError, ValueError, RecursionError, MemoryError):
        match ast.parse(cell).body:
            case [ast.Expr(ast.Call(func=ast.Name("bet"), args=[ast.Constant(str(name)), *_]))]:
                return name
    return None


def guess_in(cell: str) -> float | None:
    """The guess of the bet that a cell makes; None if it is no number that `bet` would take."""
    call = ast.parse(cell).body[0].value  # type: ignore[attr-defined]
    given = [*call.args[1:2], *(each.value for each in call.keywords if each.arg == "guess")]
    with contextlib.suppress(ValueError, TypeError):
        guess = ast.literal_eval(given[0]) if given else None
        if isinstance(guess, int | float) and not isinstance(guess, bool) and 0 < guess < MAX_GUESS:
            return float(guess)
    return None
