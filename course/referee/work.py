"""Sentences about the work of threads: which threads of a launch stored elements, and which elements are missing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch

from course.toolchains.emulator.traffic import Work

# The field of `Work` that a budget limits, for each count in a budget.
SPREAD = {"threads_per_element": "writers", "elements_per_thread": "most_stored"}
IDLE = 4  # times the threads up to the last thread that stores: rounding a grid up adds fewer threads
LONG = 16  # elements: the most that a thread stores at once, in two float4 of halves
QUARTER = (
    "Only the first quarter of the elements was written: there is one thread per float4, but each stores one float."
)


@dataclass(frozen=True)
class Unwritten:
    """The elements that a kernel left unwritten in an output of `shape`; all other elements are right.

    Parameters
    ----------
    shape : tuple of int
        The shape of the output.
    count : int
        How many elements were never written.
    first : int
        The first unwritten element in row-major order, if all elements after it are unwritten, too; else -1.
    rows, columns : int
        If exactly the elements in the first rows and columns of a matrix are written: how many rows and columns these
        are. Else -1.
    run, period : int
        If exactly the first `run` of every `period` elements are written: these two numbers. Else 0.
    """

    shape: tuple[int, ...]
    count: int
    first: int
    rows: int
    columns: int
    run: int
    period: int

    @classmethod
    def of(cls, missing: torch.Tensor, shape: Sequence[int]) -> Unwritten | None:
        """The unwritten elements that `missing` marks, a flat mask for `shape`; None if there are none."""
        count = int(missing.sum())
        if not count:
            return None
        first = int(missing.nonzero()[0])
        rows = columns = -1
        if len(shape) == 2 and min(shape) > 1:
            written = ~missing.view(*shape)
            rows, columns = int(written.any(1).sum()), int(written.any(0).sum())
            if not bool(written[:rows, :columns].all()):
                rows = columns = -1
        run, period = _period(missing, first)
        return cls(tuple(shape), count, first if bool(missing[first:].all()) else -1, rows, columns, run, period)

    @property
    def elements(self) -> int:
        """The number of elements of the output."""
        return torch.Size(self.shape).numel()


def _period(missing: torch.Tensor, run: int) -> tuple[int, int]:
    """The length of the written runs of a flat mask, and the distance between their starts; zeros if these vary."""
    begins = ((~missing[1:]) & missing[:-1]).nonzero().view(-1) + 1
    if not run or len(begins) < 2:
        return 0, 0
    period = int(begins[0])
    expected = torch.arange(len(missing), device=missing.device) % period >= run
    return (run, period) if torch.equal(expected, missing) else (0, 0)


def remarks(launches: Sequence[Work]) -> list[str]:
    """One or two sentences for each launch that does needless work in a right answer."""
    sentences = [_spread(work) or _idle(work) or _exchanged(work) for work in launches]
    return list(dict.fromkeys(filter(None, sentences)))


def badly_spread(launches: Sequence[Work], count: str, budget: int) -> str:
    """The sentence for a launch with more `threads_per_element` or `elements_per_thread` than `budget`, or ""."""
    field = SPREAD[count]
    worst = max(launches, key=lambda work: getattr(work, field))
    if getattr(worst, field) <= budget:
        return ""
    seen = (
        f"One thread stored {worst.most_stored:,} elements, but the question asks for one thread per element: launch "
        "one thread for each element."
    )
    return _spread(worst) or seen


def too_many_threads(launches: Sequence[Work], budget: int) -> str:
    """The sentence for a launch with more than `budget` threads; "" if there is none."""
    threads = max((work.threads for work in launches), default=0)
    if threads <= budget:
        return ""
    return (
        f"{threads:,} threads were launched, but the question asks for no more than the {budget:,} threads that the "
        "GPU holds at a time: limit the number of blocks, and let each thread handle several elements in a loop."
    )


def stored_again(launches: Sequence[Work]) -> list[str]:
    """A sentence for each launch in which most elements were stored by several threads."""
    return [_spread(work) for work in launches if 2 * work.repeated > work.elements]


def _spread(work: Work) -> str:
    """The sentence if the work is not divided among the threads, else ""."""
    array = f" of {work.array}" if work.array else ""
    if work.storing == 1 and work.elements > LONG:
        who = "One thread" if work.threads == 1 else f"One of {work.threads:,} threads"
        return (
            f"{who} did all the work: it stored all {work.elements:,} elements, one after the other. Launch one "
            "thread per element, and let each store its own."
        )
    if not work.repeated:
        return ""
    if work.stored == work.storing * work.elements and work.elements > LONG:
        return (
            f"Each of {work.storing:,} threads did all the work: element {work.element:,}{array} was stored "
            f"{work.writers:,} times. Remove the loop over all elements: each thread has one element."
        )
    many = f"{work.repeated:,} of {work.elements:,} elements were" if work.elements > 1 else "The element was"
    seen = f"{many} stored by several threads: {work.writers:,} threads stored element {work.element:,}{array}."
    if work.most_stored > LONG:
        return f"{seen} Does a loop step by 1 instead of the number of threads that share it (j += blockDim.x)?"
    if work.writers == work.blocks > 1:
        return (
            f"{seen} There are {work.blocks:,} blocks that share the elements: does a loop step by the number of "
            "threads of a block instead of the grid?"
        )
    return f"{seen} Each element needs only one thread."


def _idle(work: Work) -> str:
    """The sentence if most blocks have nothing to do, else ""."""
    used = work.last_storing + 1
    if work.threads < IDLE * max(used, work.threads_per_block):
        return ""
    seen = f"{work.threads:,} threads were launched, and none after the first {used:,} stored anything."
    if work.blocks == work.elements:
        seen += (
            " There is one block per element: divide the number of elements by the threads of a block, and round up, "
            "to get the number of blocks."
        )
    elif work.most_stored > 1:
        seen += f" A thread stored {work.most_stored:,} elements: divide the number of threads by {work.most_stored:,}."
    return seen


def _exchanged(work: Work) -> str:
    """The sentence if the sizes of grid and block look exchanged, else ""."""
    size, blocks = work.threads_per_block, work.blocks
    if size <= 32 or size % 32 == 0 or blocks < 64 or blocks & (blocks - 1):
        return ""
    return (
        f"The launch had {blocks:,} blocks of {size:,} threads, and {size:,} is not a multiple of 32: are the "
        "two exchanged in <<<blocks, threads>>>?"
    )


def unreached(launches: Sequence[Work], missing: Unwritten, sizes: Mapping[str, int], shuffles: bool = False) -> str:
    """Why threads did not store the `missing` elements, if the only launch that stores shows the cause; else "".

    `sizes` has the name and the value of each size of the case, so that the sentence can use the names. `shuffles`
    says whether the source has warp shuffles.
    """
    working = [work for work in launches if work.storing] or list(launches)
    if len(working) != 1:
        return ""
    (work,) = working
    launched = f"The launch had {_shape(work)}, {work.threads:,} in all"
    if not work.storing:
        return (
            f"{launched}, and none of them stored anything. Does a guard, or a loop, keep every thread from its store?"
        )
    if not work.elements:  # atomic operations only
        return ""
    if work.elements > missing.elements:  # some of these are in another tensor, and their number is unknown
        return ""
    if work.elements == missing.elements:
        stored = (
            f"All {missing.elements:,} elements were stored, but {missing.count:,} have the value of unwritten memory"
        )
        if shuffles:
            return (
                f"{stored}: a shuffle reads a value from a lane that does not reach the shuffle, or the kernel "
                "computes with memory that was never set. All lanes in the mask must reach a shuffle, so move the "
                "shuffle out of any if."
            )
        return (
            f"{stored}: the kernel computes with memory that was never set. Does it add to the output? Add up in a "
            "variable that starts at 0, and store the sum once."
        )
    return (
        _same_elements(work, missing, launched)
        or _too_few_columns(work, missing)
        or _too_few_rows(work, missing, launched)
        or _edges(work, missing, sizes)
        or _too_few_tiles(work, missing, launched)
        or _in_a_row(work, missing, launched, sizes)
    )


def _same_elements(work: Work, missing: Unwritten, launched: str) -> str:
    """The sentence if many threads stored the same elements while others were never stored."""
    if 2 * work.repeated < work.elements and work.stored < 2 * work.elements:
        return ""
    all_alike = work.elements == work.threads_per_block == work.repeated == missing.first
    if all_alike and work.writers == work.blocks:
        return (
            f"{launched}, and every block stored the same {work.elements:,} elements: the index leaves out blockIdx.x "
            "* blockDim.x."
        )
    array = f" of {work.array}" if work.array else ""
    why = "Is the index blockIdx.x * blockDim.x + threadIdx.x, different for each thread?"
    if work.most_stored > 1:
        why = (
            f"Each thread stored up to {work.most_stored:,} elements: at which element does a thread begin, and what "
            "is its step?"
        )
    return (
        f"{launched}, but they stored only {work.elements:,} different elements: element {work.element:,}{array} was "
        f"stored by {work.writers:,} threads. {why}"
    )


def _too_few_columns(work: Work, missing: Unwritten) -> str:
    """The sentence if each row has one block, and a row has more columns than a block has threads."""
    if missing.rows != missing.shape[0] or work.blocks != missing.rows or work.most_stored != 1:
        return ""
    if missing.columns != work.threads_per_block:
        return ""
    return (
        f"{missing.columns:,} threads per row reach {missing.columns:,} columns, but a row has {missing.shape[1]:,}: "
        "each thread needs a loop with the step blockDim.x."
    )


def _too_few_rows(work: Work, missing: Unwritten, launched: str) -> str:
    """The sentence if each block stores one row, and there are more rows than blocks."""
    if missing.columns != missing.shape[-1] or missing.rows != work.blocks or work.grid[1:] != (1, 1):
        return ""
    if missing.columns % work.threads_per_block == 0:  # one thread per element may end there too
        return ""
    return f"{launched}: each block stored one row, and {missing.shape[0]:,} rows need one block each."


def _edges(work: Work, missing: Unwritten, sizes: Mapping[str, int]) -> str:
    """The sentence if a grid with x and y ends before the output, or if a guard ends before the grid."""
    (bx, by, _), (rows, columns) = work.block, missing.shape if len(missing.shape) == 2 else (0, 0)
    x, y = work.grid[0] * bx, work.grid[1] * by
    if missing.rows < 1 or y == 1 or work.most_stored != 1:
        return ""
    written = (missing.rows, missing.columns)
    along_columns = written == (min(rows, y), min(columns, x))  # x runs along a row
    along_rows = written == (min(rows, x), min(columns, y))
    reach = (
        f"The grid reaches {x:,} elements in x and {y:,} in y; the output has {columns:,} columns and {rows:,} rows."
    )
    exchanged = work.grid[:2] in ((-(-rows // by), -(-columns // bx)), (-(-columns // by), -(-rows // bx)))
    exchanged |= (along_columns and x >= rows and y >= columns) or (along_rows and x >= columns and y >= rows)
    if (along_columns or along_rows) and exchanged:
        return f"{reach} Are x and y exchanged, in the number of blocks or in the kernel's indices?"
    if along_columns or along_rows:
        return f"{reach} Round the number of blocks up, so that they cover the columns and the rows."
    if not ((x >= columns and y >= rows) or (x >= rows and y >= columns)):
        return ""
    stored = [f"{missing.rows:,} rows{_known(missing.rows, sizes)}"] * (missing.rows < rows)
    stored += [f"{missing.columns:,} columns{_known(missing.columns, sizes)}"] * (missing.columns < columns)
    why = "which numbers does the guard compare?"
    if missing.rows in (rows, bx, by) and missing.columns in (columns, bx, by):  # only the first block stored
        why = "does each index use its own dimension of blockIdx, or which numbers does the guard compare?"
    return f"{reach} Only the first {' and '.join(stored)} were stored: {why}"


def _too_few_tiles(work: Work, missing: Unwritten, launched: str) -> str:
    """The sentence if all threads stored the same number of elements, and these elements are the first tiles."""
    tiles = missing.rows > 0 and work.storing == work.threads and work.stored == work.most_stored * work.threads
    if not tiles or missing.columns == missing.shape[-1] or work.elements != missing.rows * missing.columns:
        return ""
    rows, columns = missing.shape
    return (
        f"{launched}, and stored {missing.rows:,} of {rows:,} rows and {missing.columns:,} of {columns:,} columns: the "
        "grid needs more blocks in that direction."
    )


def _in_a_row(work: Work, missing: Unwritten, launched: str, sizes: Mapping[str, int]) -> str:
    """Why elements are missing if successive threads store successive elements; "" if unknown."""
    n, each = missing.elements, work.most_stored
    if missing.period and missing.run == each * work.threads_per_block:
        return (
            f"Of every {missing.period:,} elements only the first {missing.run:,} were stored: blocks begin "
            f"{missing.period:,} elements apart, and each of the {work.threads_per_block:,} threads of a block stored "
            f"{each:,} element{'s' * (each != 1)}."
        )
    if missing.first < 0 or work.elements != missing.first:
        return ""
    if work.storing == work.threads and work.stored == each * work.threads:
        if each == 1:
            a_row = missing.shape[:-1] == (1,) and work.blocks == 1
            go_on = " If a block takes a row, each thread needs a loop with the step blockDim.x." if a_row else ""
            rounded = ": round the number of blocks up" if n - missing.first < work.threads_per_block else ""
            loop = "" if go_on or rounded else ", or a loop whose step is the number of threads in the grid"
            return f"{launched}; {n:,} elements need one thread each{rounded}{loop}.{go_on}"
        return (
            f"{launched}. Each thread stored {each:,} elements, so only {work.elements:,} of {n:,} elements were "
            "stored: the grid needs more blocks, or each thread needs a loop."
        )
    if work.storing == work.elements == work.blocks and work.threads_per_block > 1:
        return f"{launched}: each block stored one element, and {n:,} elements need one block each."
    if each == 1 and missing.first == work.storing == n // 4:
        return QUARTER
    if each * work.threads < n:
        return (
            f"{launched}. No thread stored more than {each:,} elements, which is not enough for {n:,} elements: the "
            "grid needs more blocks, or each thread needs a loop."
        )
    # A guard that is off by one, or by a vector's length, is recognized from the values.
    if each == 1 < n - missing.first and work.threads >= n and work.storing == work.last_storing + 1:
        return (
            f"{work.threads:,} threads were launched, and only the first {work.storing:,}{_known(work.storing, sizes)} "
            "stored anything: the guard must compare the index with the number of elements."
        )
    if each * work.threads_per_block < n - missing.first and work.storing == work.last_storing + 1:
        return (
            f"{work.threads:,} threads were launched, and only the first {work.storing:,} stored anything: a guard "
            "excludes the others. Does the guard compare an index within a row with the number of all elements, or an "
            "index over all elements with the length of a row?"
        )
    return ""


def _shape(work: Work) -> str:
    """The grid and the block in words."""
    blocks, threads = (
        " x ".join(f"{n:,}" for n in index[: 1 + max(i for i in range(3) if i == 0 or index[i] > 1)])
        for index in (work.grid, work.block)
    )
    return f"{blocks} block{'s' * (work.blocks != 1)} of {threads} thread{'s' * (work.threads_per_block != 1)}"


def _known(number: int, sizes: Mapping[str, int]) -> str:
    """The name of the size that equals a number, in parentheses, if exactly one size of the case does; else ""."""
    names = [name for name, size in sizes.items() if size == number]
    return f" (= {names[0]})" if len(names) == 1 else ""
