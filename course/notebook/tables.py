"""Tables in a notebook, and `held_against`, which shows a prediction beside the result."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from course.notebook.plots import three_digits
from course.referee.verdict import html_table


@dataclass(frozen=True, repr=False)
class Table:
    """A table of text that a notebook shows as HTML and a terminal as aligned columns.

    Attributes
    ----------
    rows : sequence of sequences of str
        The rows, the first of them the heads. A row of one text heads the rows below it: see `html_table`.
    caption : str
        The title above the table.
    """

    rows: Sequence[Sequence[str]]
    caption: str = ""

    def __repr__(self) -> str:
        full = [row for row in self.rows if len(row) == len(self.rows[0])]
        widths = [max(map(len, column)) for column in zip(*full, strict=True)]
        lines = ["  ".join(map(str.ljust, row, widths)).rstrip() for row in self.rows]
        return "\n".join([self.caption] * bool(self.caption) + lines)

    def _repr_html_(self) -> str:
        return html_table(self.rows[0], self.rows[1:], self.caption)


def held_against(
    prediction: float | str | dict[str, object] | None, happened: float | str | dict[str, object], unit: str = ""
) -> Table:
    """Show a prediction beside what happened.

    What happened stays hidden until there is a prediction, so that nobody reads the answer before giving one.

    Parameters
    ----------
    prediction : number, str, dict or None
        What the student predicted; None for nothing yet. A dict has one prediction per key, each of which may be None.
    happened : number, str or dict
        What was measured or observed. For a dict, the table has one column per key of it.
    unit : str, optional
        The unit of both, such as `"ms"` or `"sectors"`: the head of the table.

    Returns
    -------
    Table
        One row for the prediction and one for what happened. Two positive numbers have their ratio beside them, the
        larger over the smaller.
    """
    if isinstance(happened, dict):
        predictions = prediction if isinstance(prediction, dict) else {}
        yours = (_shown(predictions.get(key)) for key in happened)
        facts = (_shown_after(predictions.get(key), value) for key, value in happened.items())
        return Table([(unit, *happened), ("you said", *yours), ("it was", *facts)])
    rows: list[tuple[str, ...]] = [("", unit or "value"), ("you said", _shown(prediction))]
    rows.append(("it was", _shown_after(prediction, happened)))
    numbers = [x for x in (prediction, happened) if isinstance(x, int | float) and not isinstance(x, bool) and x > 0]
    if len(numbers) == 2:
        factor = max(numbers) / min(numbers)
        remarks = ("", "exactly" if factor == 1 else f"off by a factor of {three_digits(factor)}", "")
        rows = [(*row, remark) for row, remark in zip(rows, remarks, strict=True)]
    return Table(rows)


def _shown_after(prediction: object, happened: object) -> str:
    """What happened, hidden while there is no prediction."""
    return "shown once you have given a prediction" if prediction is None else _shown(happened)


def _shown(value: object) -> str:
    if value is None:
        return "nothing yet"
    return f"{value:,.4g}" if isinstance(value, float) else f"{value:,}" if type(value) is int else str(value)
