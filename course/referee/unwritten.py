"""Names the mistake behind an output with elements that were never written."""

from __future__ import annotations

import re

import torch

from course.referee.places import ordinal
from course.referee.work import QUARTER
from course.referee.wrong import Wrong

BLOCKS = (1024, 512, 256, 128, 64, 32)  # usual numbers of threads per block


def unwritten(wrong: Wrong) -> str | None:
    missing, n = wrong.unwritten, wrong.got.numel()
    count = int(missing.sum())
    if count == n:
        return _nothing_written(wrong)
    if not count or count < int(wrong.mask.sum()):
        return None
    written = (~missing).nonzero().view(-1)
    steps = written.diff().unique()
    if len(steps) == 1 and int(steps[0]) > 1:
        nth = {2: "second", 3: "third"}.get(int(steps[0]), ordinal(int(steps[0])))
        return f"Only every {nth} element was written: no thread stores the elements in between."
    return (
        _unwritten_edge(missing.view(wrong.got.shape))
        or _unwritten_tail(missing, wrong.source)
        or _multiplied(written, n)
    )


def partly_unwritten(wrong: Wrong) -> str | None:
    count, n = int(wrong.unwritten.sum()), int(wrong.mask.sum())
    if not count:
        return None
    if count < n:
        return f"{count} of the wrong elements were never written."
    return (
        f"{count} elements were never written, and all others are right: the threads' indices leave gaps, or a guard "
        "excludes threads that have an element."
    )


def _nothing_written(wrong: Wrong) -> str:
    if wrong.changed:
        return (
            f"The kernel stored into {wrong.changed[0]} instead of the output: the launch passes its pointers in a "
            "different order from the kernel's parameters."
        )
    return (
        "No element of the output was ever written: is the kernel launched, does a guard or a loop keep every thread "
        "from its store, and does the wrapper return the tensor that the kernel fills?"
    )


def _multiplied(written: torch.Tensor, n: int) -> str | None:
    """The sentence if the indices of the written elements are products of a block's index and a thread's index."""
    for threads in BLOCKS:
        blocks = -(-n // threads)
        products = torch.outer(torch.arange(blocks), torch.arange(threads)).unique()
        if blocks > 1 and torch.equal(written.cpu(), products[products < n]):
            return (
                "Only elements blockIdx.x * threadIdx.x were written: the index of a thread's element is "
                "blockIdx.x * blockDim.x + threadIdx.x."
            )
    return None


def whole_blocks(first: int) -> str:
    """How many whole blocks end before element `first`, as in "9984 is 39 * 256"."""
    block = min(first & -first, BLOCKS[0])
    return f"{first} is {first // block} * {block}"


def _unwritten_tail(missing: torch.Tensor, source: str) -> str | None:
    """The sentence if all elements from one element on are missing, and no others; `missing` is flat."""
    n, first = len(missing), int(missing.nonzero()[0])
    if not bool(missing[first:].all()):
        return None
    start = f"Everything from element {first} on was never written: "
    if first % 4 == 0 and n - first < 4 and (first % 32 or "float4" in source):
        return "Every element past the last multiple of 4 was never written: the tail needs code of its own."
    if first == n // 4 and first % 32:
        return QUARTER
    if n - first == 1 and first % 32:
        return "Only the last element was never written: the guard ends one element too early."
    same = "every block writes the same elements, since its index leaves out blockIdx.x * blockDim.x"
    leaves = re.search(r"\breturn\s*;", source) is not None
    turned_away = ", or threads return before they have stored all their elements"
    if reaches_whole_blocks(first, n, 32):
        return (
            f"{start}the last, partial block is missing, since the number of blocks was rounded down instead of up "
            f"({whole_blocks(first)}){f', or {same}' * (first in BLOCKS)}{turned_away * leaves}."
        )
    if first in BLOCKS:
        return f"Only the first {first} elements were written: there are too few blocks, or {same}."
    few = "there are too few threads (blocks times threads of a block), or "
    if first % 32:
        few = "there are too few blocks, if each block has one element, or "
    return (
        f"{start}{few}the guard compares the index with too small a number, or the index is "
        "not blockIdx.x * blockDim.x + threadIdx.x. If the grid is smaller on purpose, each thread needs a loop with "
        "the step gridDim.x * blockDim.x."
    )


def _unwritten_edge(missing: torch.Tensor) -> str | None:
    """The sentence if the missing elements of a matrix are its last rows, or its last columns, or both."""
    if missing.ndim != 2:
        return None
    rows, columns = missing.shape
    r, c = int((~missing).any(1).sum()), int((~missing).any(0).sum())  # rows and columns with a written element
    if (c == columns and r < 2) or bool(missing[:r, :c].any()):
        return None  # a single row is handled like a vector
    places = [f"row from row {r} on"] * (r < rows) + [f"column from column {c} on"] * (c < columns)
    down = (r == rows or reaches_whole_blocks(r, rows, 4)) and (c == columns or reaches_whole_blocks(c, columns, 4))
    exchanged = (r == rows or _covers(r, columns)) and (c == columns or _covers(c, rows))
    no_loop = f"each of {c} threads takes one element of its row, and needs a loop whose step is the number of threads"
    # In practice, a block with more than 64 threads along one side has a single dimension.
    reasons = [no_loop] * (r == rows and c in BLOCKS and c > 64)
    reasons += ["rows and columns are exchanged, in the grid or in a loop or guard"] * exchanged
    reasons += ["a loop or a guard ends one row or column too early"] * ((rows - r) + (columns - c) == 1)
    reasons += ["the last, partial block is missing, since the number of blocks was rounded down instead of up"] * down
    if not reasons or reasons[0] == no_loop:
        reasons += ["there are too few blocks in that direction (how many rows or columns does one block take?)"]
        reasons += ["rows and columns are exchanged where the blocks are counted"] * (reasons[0] != no_loop)
    return f"Every {' and every '.join(places)} was never written: {', or '.join(reasons)}."


def reaches_whole_blocks(reached: int, length: int, smallest: int) -> bool:
    """Whether `reached` is `length` rounded down to a multiple of a block, a power of two of at least `smallest`."""
    block = reached & -reached  # the largest power of two that divides it
    return block >= smallest and length - reached < block


def _covers(reached: int, length: int) -> bool:
    """Whether blocks that cover `length` end at `reached`, if the size of a block is a power of two."""
    return any(-(-length // block) * block == reached for block in (1 << i for i in range(11)))
