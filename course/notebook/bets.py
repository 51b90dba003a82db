"""`bet`: a guess that a learner makes before `compare` shows the times. The chart shows the bet. It earns no points."""

from __future__ import annotations

import ast
import contextlib
import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, TypeGuard

from course.errors import CourseError
from course.notebook.mime import bundle
from course.toolchains.cache import cache_root, make_folder

OVER = " over "  # between the two variants in the name of a bet
MAX_GUESS = 1e300  # a guess must be less than this, so that a float can hold it

_memory: dict[str, dict[str, Any]] = {}  # the states that `_kept` yields, by folder, as this process last knew them


@dataclass(frozen=True)
class Bet:
    """A guess of how many times as fast one variant of a comparison is as another.

    Attributes
    ----------
    name : str
        The two variants, as in "x along i over x along j".
    guess : float or None
        The guessed time of the second variant divided by that of the first; None if there is no guess yet.
    late : bool
        Whether the times had already been shown when the guess was made.
    remark : str
        A sentence about this call of `bet`.
    """

    name: str
    guess: float | None
    late: bool = False
    remark: str = ""

    def __repr__(self) -> str:
        return self.remark

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, Any]:
        """The bet as data, for the instructor's report. IPython adds the text."""
        return bundle(bet={"name": self.name, "guess": self.guess, "late": self.late}) if self.guess else {}


class Settled(NamedTuple):
    """A bet and its result: `factor` is the time of `other` divided by that of `variant`."""

    variant: str
    other: str
    guess: float
    factor: float


def bet(name: str, guess: float | None = None) -> Bet:
    """Guess how many times as fast one variant is as another, before `compare` shows the times.

    The last guess before the times are shown counts. It is kept on this machine, even if the notebook's kernel
    restarts, and is drawn in every chart that compares the two variants. A bet earns no points and costs none.

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
    if guess is None or guess is ...:
        with _kept() as kept:
            made = kept["bets"].get(name)
        if made:
            return Bet(name, **made, remark=f"Your bet of {made['guess']:g} is still kept.")
        return Bet(name, None, remark="No bet yet: write a number in place of None and run this cell again.")
    if not is_guess(guess):
        # Python refuses to print an integer of more than 4300 digits.
        shown = "a number this large" if isinstance(guess, int) and abs(guess) >= MAX_GUESS else repr(guess)[:60]
        raise CourseError(f"A bet is a number above 0, such as 4 or 0.5, not {shown}.")
    with _kept() as kept:
        revealed = any(set(variants(name)) <= set(together) for together in kept["revealed"])
        before = kept["bets"].get(name)
        if not before or not revealed:
            kept["bets"][name] = {"guess": guess, "late": revealed}
        made = kept["bets"][name]
    if made["guess"] != guess:
        remark = f"Your bet stays {made['guess']:g}: the times were shown already, so {guess:g} is not kept."
    elif made["late"]:
        remark = f"The times were shown before you bet {guess:g}, so the bet is kept as a late bet and is not drawn."
    elif before and before["guess"] != guess:
        remark = f"Your bet was {before['guess']:g} and is {guess:g} now. The next comparison shows the measured ratio."
    else:
        remark = f"Your bet: {guess:g} times as fast. The next comparison shows the measured ratio."
    return Bet(name, **made, remark=remark)


def variants(name: str) -> tuple[str, str]:
    """The names of the two variants in the name of a bet."""
    first, _, second = name.partition(OVER)
    return first, second


def settle(median_ms: Mapping[str, float]) -> list[Settled]:
    """Fix the bets on the variants of a comparison, so that they cannot change any more, and return them.

    Parameters
    ----------
    median_ms : mapping of str to float
        The times of all variants in milliseconds, by name.

    Returns
    -------
    list of Settled
        The bets on these variants that were made before the times were shown.
    """
    if len(median_ms) < 2:
        return []
    with _kept() as kept:
        guesses = {variants(name): each["guess"] for name, each in kept["bets"].items() if not each["late"]}
        # nbgrader's Validate runs the notebook but shows no times, so its comparisons reveal nothing.
        if sorted(median_ms) not in kept["revealed"] and not os.environ.get("NBGRADER_VALIDATING"):
            kept["revealed"].append(sorted(median_ms))
    return [
        Settled(variant, other, guess, median_ms[other] / median_ms[variant])
        for (variant, other), guess in guesses.items()
        if variant in median_ms and other in median_ms
    ]


def bet_in(cell: str) -> tuple[str, float | None] | None:
    """The name and the guess of the bet that a cell makes; None if the cell makes none.

    Parameters
    ----------
    cell : str
        The text of a cell, which is parsed and not run. A guess that is not a number counts as no guess.
    """
    with contextlib.suppress(SyntaxError, ValueError, RecursionError, MemoryError):
        match ast.parse(cell).body:
            case [ast.Expr(ast.Call(func=ast.Name("bet"), args=[ast.Constant(str(name)), *rest], keywords=named))]:
                given = [*rest, *(each.value for each in named)]
                return name, _guess_in(given[0]) if given else None
    return None


def _guess_in(node: ast.expr) -> float | None:
    # A student wrote the text: {[]: 1} raises TypeError, and a long integer plus 1j raises OverflowError.
    with contextlib.suppress(ValueError, TypeError, OverflowError, RecursionError, MemoryError):
        guess = ast.literal_eval(node)
        return float(guess) if is_guess(guess) else None
    return None


def is_guess(value: object) -> TypeGuard[float]:
    """Whether a value can be a guess: a number above 0 that a float can hold."""
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < MAX_GUESS


@contextlib.contextmanager
def _kept() -> Iterator[dict[str, Any]]:
    """The state that is kept for this folder: `bets`, by name, and `revealed`, the variants of each comparison shown.

    Changes are saved when the block ends. If they cannot be saved, only this kernel remembers them.
    """
    here = hashlib.sha256(str(Path.cwd()).encode()).hexdigest()[:24]
    path = cache_root() / "bets" / f"{here}.json"
    with contextlib.suppress(OSError, ValueError, TypeError, AttributeError, KeyError, RecursionError):
        _memory[here] = _undamaged(json.loads(path.read_text(encoding="utf-8")))
    kept = _memory.setdefault(here, {"bets": {}, "revealed": []})
    yield kept
    with contextlib.suppress(OSError, CourseError):
        make_folder(path.parent)
        part = path.with_suffix(f".{os.getpid()}.part")
        part.write_text(json.dumps(kept), encoding="utf-8")
        part.replace(path)  # replaces the file in one step


def _undamaged(kept: Any) -> dict[str, Any]:
    """The state saved in a file. Raises an error if the file has another format."""
    bets = {name: {"guess": each["guess"], "late": bool(each["late"])} for name, each in kept["bets"].items()}
    if not all(is_guess(each["guess"]) for each in bets.values()):
        raise ValueError("a guess is not a valid number")
    return {"bets": bets, "revealed": [list(map(str, names)) for names in kept["revealed"]]}
