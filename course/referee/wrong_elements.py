"""Describes where an output is wrong, in words and as a small picture."""

import math
from dataclasses import dataclass
from itertools import pairwise

import torch

ROWS, COLUMNS = 12, 48  # parts into which a picture divides an output, at most
PART = 5  # width and height of a part in pixels, unless the picture has few parts
LEAST = 120  # the least length of a picture's longer side in pixels
LEVELS = 4  # of opacity: up to a quarter of a part's elements are wrong, up to a half, ...
RUNS = 3  # how many runs of indices are listed


@dataclass(frozen=True)
class WrongElements:
    """Where an output is wrong: `words` say it, and `shares` are the data for a picture.

    The picture divides the output into parts. `shares` has the share of wrong elements (0 to 1) of each part, by row
    and column. A row of the output runs along the last dimension, and an output of one dimension is one row.
    """

    words: str
    shares: tuple[tuple[float, ...], ...]

    @classmethod
    def of(cls, wrong: torch.Tensor) -> "WrongElements":
        """The places of a mask in which at least one element is set."""
        flat = wrong.reshape(-1, wrong.shape[-1]) if wrong.dim() > 1 else wrong.reshape(1, -1)
        flat = flat.cpu()
        size = (math.ceil(flat.shape[0] / ROWS), math.ceil(flat.shape[1] / COLUMNS))
        # Parts at the edges may be smaller: the share of a part counts only elements that exist.
        pooled = torch.nn.functional.avg_pool2d(flat[None].float(), size, ceil_mode=True, count_include_pad=False)[0]
        return cls(_words(flat, tuple(wrong.shape)), tuple(map(tuple, pooled.tolist())))

    @property
    def uniform(self) -> bool:
        """Whether all parts of the picture have the same opacity."""
        return len({math.ceil(share * LEVELS) for row in self.shares for share in row}) == 1

    @property
    def part(self) -> int:
        """The width and height of a part in pixels."""
        return max(PART, LEAST // max(len(self.shares), len(self.shares[0])))

    @property
    def levels(self) -> dict[int, list[tuple[int, int]]]:
        """The parts (x and y) for each level of opacity that is not 0."""
        found: dict[int, list[tuple[int, int]]] = {}
        for y, row in enumerate(self.shares):
            for x, share in enumerate(row):
                if level := math.ceil(share * LEVELS):
                    found.setdefault(level, []).append((x, y))
        return dict(sorted(found.items()))


def _words(wrong: torch.Tensor, shape: tuple[int, ...]) -> str:
    """Which rows and columns of a matrix are wrong, or which elements of a single row."""
    here = f"In the output of shape ({', '.join(map(str, shape))}{',' * (len(shape) == 1)})"
    rows, columns = (wrong.any(axis).nonzero().view(-1).tolist() for axis in (1, 0))
    if len(shape) < 2:
        said = _indices("element", columns)
        return f"{here}, {said} {'are' if said.startswith('elements') else 'is'} wrong."
    names = [
        f"all {noun}s" if len(found) == length else _indices(noun, found)
        for noun, found, length in zip(("row", "column"), (rows, columns), wrong.shape, strict=True)
    ]
    many = "all" if int(wrong.sum()) == len(rows) * len(columns) else "some"
    counted = (
        " (A row runs along the last dimension; rows are counted through all other dimensions.)"
        if len(shape) > 2
        else ""
    )
    return f"{here}, {many} elements in {' and '.join(names)} are wrong.{counted}"


def _indices(noun: str, found: list[int]) -> str:
    """ "rows 0 to 255", "every 4th column from 3 to 63": increasing indices in words."""
    if len(found) == 1:
        return f"{noun} {found[0]}"
    runs: list[list[int]] = []
    for index in found:
        if runs and index == runs[-1][1] + 1:
            runs[-1][1] = index
        else:
            runs.append([index, index])
    steps = {b - a for a, b in pairwise(found)}
    if len(runs) > RUNS and len(steps) == 1:
        return f"every {ordinal(steps.pop())} {noun} from {found[0]} to {found[-1]}"
    listed = [f"{a} to {b}" if b > a + 1 else f"{a}, {b}" if b > a else f"{a}" for a, b in runs[:RUNS]]
    more = f" and others up to {found[-1]}" if len(runs) > RUNS else ""
    return f"{noun}s {', '.join(listed)}{more}"


def ordinal(n: int) -> str:
    """ "4th", "22nd": the ordinal of a number of 1 or more."""
    suffix = {1: "st", 2: "nd", 3: "rd"}.get(n % 10 * (n % 100 not in (11, 12, 13)), "th")
    return f"{n}{suffix}"
