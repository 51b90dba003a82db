"""Tables for a notebook, and `held_against`, which shows a prediction beside the result."""

from collections.abc import Sequence
from dataclasses import dataclass

from course.html import render
from course.measure import three_digits


@dataclass(frozen=True, repr=False)
class Table:
    """A table of text that a notebook shows as HTML and a terminal as aligned columns.

    Attributes
    ----------
    rows : sequence of sequences of str
        The rows. The first row has the headings of the columns. A row with only one text is a line of source, which
        heads the rows below.
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
        return render("table.html", heads=self.rows[0], rows=self.rows[1:], caption=self.caption)


def held_against(
    prediction: float | str | dict[str, object] | None, happened: float | str | dict[str, object], unit: str = ""
) -> Table:
    """Show a prediction beside the result.

    The result stays hidden until there is a prediction, so that nobody sees the result before predicting it.

    Parameters
    ----------
    prediction : number, str, dict or None
        The student's prediction; None if there is none yet. A dict has one prediction for each key, which may be None.
    happened : number, str or dict
        The result that was measured or observed. For a dict, the table has one column for each key.
    unit : str, optional
        The unit of prediction and result, such as `"ms"` or `"sectors"`, which is shown in the head of the table.

    Returns
    -------
    Table
        One row for the prediction and one row for the result. If both are positive numbers, the table also shows the
        larger divided by the smaller.
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
    """The result as text, or a notice in its place while there is no prediction."""
    return "shown once you have given a prediction" if prediction is None else _shown(happened)


def _shown(value: object) -> str:
    if value is None:
        return "nothing yet"
    return f"{value:,.4g}" if isinstance(value, float) else f"{value:,}" if type(value) is int else str(value)
