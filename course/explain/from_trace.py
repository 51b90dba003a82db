"""What the work of threads shows: who stored which elements. Each function returns a mistake's facts or None."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from course.explain.counts import Work
from course.explain.from_values import Unwritten

Facts = dict[str, object]

IDLE = 4  # times the threads up to the last thread that stores: rounding a grid up adds fewer threads
LONG = 16  # elements: the most that a thread stores at once, in two float4 of halves


@dataclass(frozen=True)
class Stores:
    """The only launch that stores, beside the elements that it left unwritten.

    `sizes` has the name and the value of each size of the case.
    """

    work: Work
    missing: Unwritten
    sizes: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, launches: Sequence[Work], missing: Unwritten, sizes: Mapping[str, int]) -> "Stores | None":
        """None if several launches store, or if it is unknown which elements of the output were stored."""
        working = [work for work in launches if work.storing] or list(launches)
        if len(working) != 1:
            return None
        (work,) = working
        # Atomic operations store no elements here. More elements than the output has include another tensor's.
        unknown = work.storing and not 0 < work.elements <= missing.elements
        return None if unknown else cls(work, missing, sizes)

    def size(self, number: int) -> str:
        """The name of the size that equals a number, as " (= M)", if exactly one size of the case does; else ""."""
        names = [name for name, size in self.sizes.items() if size == number]
        return f" (= {names[0]})" if len(names) == 1 else ""


# ----------------------------------------------------------------------------------------------------------------------
# Why elements are missing.


def none_stored(stores: Stores) -> Facts | None:
    return None if stores.work.storing else {"work": stores.work}


def unset_memory(stores: Stores) -> Facts | None:
    """Every element was stored, but some have the value that fills new memory."""
    if stores.work.elements != stores.missing.elements:
        return None
    return {"elements": stores.missing.elements, "count": stores.missing.count}


def same_elements(stores: Stores) -> Facts | None:
    """Many threads stored the same elements while others were never stored."""
    work = stores.work
    if not work.storing or (2 * work.repeated < work.elements and work.stored < 2 * work.elements):
        return None
    alike = work.elements == work.threads_per_block == work.repeated == stores.missing.first
    case = "one_each" if work.most_stored <= 1 else "many_each"
    return {"work": work, "case": "every_block" if alike and work.writers == work.blocks else case}


def _grid(stores: Stores) -> tuple[int, int, int, int] | None:
    """The threads of a launch in x and y, and the rows and columns of the output, if one thread stores one element."""
    work, missing = stores.work, stores.missing
    x, y = (blocks * threads for blocks, threads in zip(work.grid[:2], work.block[:2], strict=True))
    return (x, y, *missing.shape) if missing.rows > 0 and y > 1 and work.most_stored == 1 else None  # type: ignore[return-value]


def axes_exchanged(stores: Stores) -> Facts | None:
    """A grid with x and y ends before the output, and would not if x and y were exchanged."""
    if not (grid := _grid(stores)):
        return None
    (x, y, rows, columns), (bx, by, _) = grid, stores.work.block
    written = (stores.missing.rows, stores.missing.columns)
    along_columns = written == (min(rows, y), min(columns, x))  # x runs along a row
    along_rows = written == (min(rows, x), min(columns, y))
    counted = stores.work.grid[:2] in ((-(-rows // by), -(-columns // bx)), (-(-columns // by), -(-rows // bx)))
    turned = (along_columns and x >= rows and y >= columns) or (along_rows and x >= columns and y >= rows)
    if not (along_columns or along_rows) or not (counted or turned):
        return None
    return {"x": x, "y": y, "rows": rows, "columns": columns}


def tail_repeated(stores: Stores) -> Facts | None:
    """Several threads stored the same element, the first of the last few, and none stored those after it."""
    work, missing = stores.work, stores.missing
    if work.repeated != 1 or work.element != missing.first - 1:
        return None
    return {"work": work}


def gaps(stores: Stores) -> Facts | None:
    """Blocks begin too far apart."""
    work, missing = stores.work, stores.missing
    if not missing.period or missing.run != work.most_stored * work.threads_per_block:
        return None
    return {"period": missing.period, "run": missing.run, "threads": work.threads_per_block, "each": work.most_stored}


def float_for_float4(stores: Stores) -> Facts | None:
    work, missing = stores.work, stores.missing
    a_quarter = work.most_stored == 1 and missing.first == work.storing == work.elements == missing.elements // 4
    return {} if a_quarter and work.storing < work.threads else None


def too_few_threads(stores: Stores) -> Facts | None:
    """All threads stored as many elements as they could, but there are more elements."""
    work, missing = stores.work, stores.missing
    in_a_row = work.elements == missing.first
    in_rows = missing.rows > 0 and work.elements == missing.rows * missing.columns
    busy = work.storing == work.threads and work.stored == work.most_stored * work.threads
    too_few = work.most_stored * work.threads < missing.elements
    by_block = work.storing == work.elements == work.blocks and work.threads_per_block > 1
    if not (in_a_row or in_rows) or not (busy or too_few or by_block):
        return None
    facts: Facts = {"work": work, "elements": missing.elements, "rows": missing.shape[0], "row": missing.shape[-1]}
    facts["columns"] = missing.columns
    case = "one_each" if work.most_stored == 1 else "many_each"
    if by_block:
        case = "element_needs_block"
    elif in_rows and missing.columns == missing.shape[-1] and work.blocks == missing.rows:
        if missing.columns % work.threads_per_block:  # else one thread per element may end there, too
            case = "row_needs_block"
    elif in_rows and missing.rows == missing.shape[0] and work.blocks == missing.rows and work.most_stored == 1:
        case = "row_needs_loop"
    elif in_a_row and work.most_stored == 1 and missing.elements - work.elements < work.threads_per_block:
        case = "rounded_down"
    return {**facts, "case": case}


def guard(stores: Stores) -> Facts | None:
    """There are enough threads, but only the first ones stored. A guard off by one shows in the values."""
    work, missing = stores.work, stores.missing
    left = missing.elements - missing.first
    if missing.first != work.elements or work.storing != work.last_storing + 1:
        return None
    if not (1 == work.most_stored < left or work.most_stored * work.threads_per_block < left):
        return None
    case = "one_each" if work.most_stored == 1 and work.threads >= missing.elements else "other"
    one_row = work.elements == missing.shape[-1] and work.storing <= work.threads_per_block
    if case == "other" and one_row and work.blocks * work.elements >= missing.elements:
        case = "first_block"
    return {"threads": work.threads, "storing": work.storing, "is_size": stores.size(work.storing), "case": case}


# ----------------------------------------------------------------------------------------------------------------------
# Needless work, which a right answer can do too.


def one_does_all(work: Work) -> Facts | None:
    case = "alone" if work.threads == 1 else "among_others"
    return {"work": work, "case": case} if work.storing == 1 and work.elements > LONG else None


def each_does_all(work: Work) -> Facts | None:
    all_alike = work.repeated and work.stored == work.storing * work.elements
    return {"work": work} if all_alike and work.elements > LONG else None


def stored_again(work: Work) -> Facts | None:
    if not work.repeated:
        return None
    shared = "every_block" if work.writers == work.blocks > 1 else "once_each"
    return {"work": work, "case": "loop" if work.most_stored > LONG else shared}


def idle_threads(work: Work) -> Facts | None:
    """Most threads have nothing to do."""
    used = work.last_storing + 1
    if work.threads < IDLE * max(used, work.threads_per_block):
        return None
    many = "many_each" if work.most_stored > 1 else "other"
    return {"work": work, "used": used, "case": "block_each" if work.blocks == work.elements else many}


def sizes_exchanged(work: Work) -> Facts | None:
    """The sizes of grid and block look exchanged."""
    size, blocks = work.threads_per_block, work.blocks
    if size <= 32 or size % 32 == 0 or blocks < 64 or blocks & (blocks - 1):
        return None
    return {"blocks": blocks, "size": size}
