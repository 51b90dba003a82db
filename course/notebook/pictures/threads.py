"""Pictures of the elements that each thread works on, and of the order of elements in memory."""

from __future__ import annotations

from course.errors import CourseError
from course.notebook.pictures.draw import plural
from course.notebook.pictures.svg import BLUE, GREEN, YELLOW, Figure, Sheet

WIDTH = 720
QUAD = 4  # floats in 16 bytes


def launch(elements: int = 10, threads: int = 4, per_thread: int = 1) -> Figure:
    """Draw the threads of a launch over the elements of an array.

    Parameters
    ----------
    elements : int
        The number of elements, 1 to 64.
    threads : int
        Threads per block, 1 to 32.
    per_thread : int
        The number of neighbouring elements that each thread works on, 1 to 8.

    Returns
    -------
    Figure
        The blocks and their threads, with the elements of each thread below it.

    Raises
    ------
    CourseError
        If a number is outside its range.
    """
    _require("elements", elements, 64)
    _require("threads", threads, 32)
    _require("per_thread", per_thread, 8)
    blocks = -(-elements // (threads * per_thread))
    slots = blocks * threads * per_thread
    left, gap = 74, 12
    cell = min(40.0, (WIDTH - left - 10 - gap * (blocks - 1)) / slots)
    sheet = Sheet(WIDTH, 150)
    for y, name in ((30, "block"), (70, "thread"), (122, "element")):
        sheet.write(left - 10, y, name, at="end")
    for block in range(blocks):
        start = left + block * (threads * per_thread * cell + gap)
        sheet.box(start, 16, threads * per_thread * cell, 28, fill="grey")
        sheet.write(start + threads * per_thread * cell / 2, 30, f"block {block}", bold=True)
        for thread in range(threads):
            x, first = start + thread * per_thread * cell, (block * threads + thread) * per_thread
            idle = first >= elements
            sheet.box(x, 56, per_thread * cell, 28, fill="none" if idle else YELLOW, dashed=idle)
            sheet.write(x + per_thread * cell / 2, 70, str(thread), on_color=not idle)
            for place in range(per_thread):
                here = x + (place + 0.5) * cell
                there = first + place < elements
                sheet.line((here, 85), (here, 106), arrow=there, dashed=not there, faint=1 if there else 0.5)
                if there:
                    sheet.box(here - cell / 2, 108, cell, 28, fill=BLUE)
                    sheet.write(here, 122, str(first + place), on_color=True, size=min(12, cell * 0.55))
    working = -(-elements // per_thread)
    idle = blocks * threads - working
    each = "one element" if per_thread == 1 else f"{per_thread} neighbouring elements"
    alt = (
        f"A launch of {blocks} blocks with {threads} threads each, over {elements} elements, numbered from 0. Each "
        f"thread takes {each}: thread t of block b begins at element (b x {threads} + t)"
        f"{f' x {per_thread}' if per_thread > 1 else ''}. "
    )
    last = working * per_thread - elements
    alt += f"The last working thread has {per_thread - last} of them. " if last else ""
    without = f"{plural(idle, 'thread')} at the end {'has' if idle == 1 else 'have'} no element."
    alt += without if idle else "Every thread has an element."
    return sheet.figure(alt)


def vectors(offset: int = 1) -> Figure:
    """Draw where a float4 may begin in a view that does not itself begin at a multiple of 16 bytes.

    Parameters
    ----------
    offset : int
        The number of floats between a multiple of 16 bytes and the start of the view, 0 to 3.

    Returns
    -------
    Figure
        The view's elements and the groups of 16 bytes, with the head and the tail that no float4 can hold.

    Raises
    ------
    CourseError
        If `offset` is not such a number.
    """
    if not isinstance(offset, int) or not 0 <= offset < QUAD:
        raise CourseError(f"offset must be a whole number from 0 to {QUAD - 1}, not {offset!r}.")
    elements = 15
    groups = -(-(offset + elements) // QUAD)
    cell, left = 25.0, 100
    head = min(-offset % QUAD, elements)
    whole = (elements - head) // QUAD
    sheet = Sheet(WIDTH, 140)
    sheet.write(left - 10, 40, "element", at="end")
    sheet.write(left - 10, 92, "16 bytes each", at="end")
    for group in range(groups):
        sheet.box(left + group * QUAD * cell, 78, QUAD * cell, 28, fill="grey")
        sheet.write(left + (group + 0.5) * QUAD * cell, 92, f"byte {16 * group}")
    for element in range(elements):
        alone = element < head or element >= head + whole * QUAD
        x = left + (offset + element) * cell
        sheet.box(x, 26, cell, 28, fill=YELLOW if alone else BLUE, hatch=alone)
        sheet.write(x + cell / 2, 40, str(element), on_color=True)
    for group in range(1, groups):
        sheet.line((left + group * QUAD * cell, 20), (left + group * QUAD * cell, 112), dashed=True, faint=0.6)
    sheet.box(left, 118, 16, 14, fill=BLUE)
    sheet.write(left + 22, 125, "in a float4", at="start")
    sheet.box(left + 130, 118, 16, 14, fill=YELLOW, hatch=True)
    sheet.write(left + 152, 125, "one float at a time", at="start")
    tail = elements - head - whole * QUAD
    return sheet.figure(
        f"A view of {elements} floats that begins {4 * offset} bytes past a multiple of 16. A float4 must begin at a "
        f"multiple of 16 bytes: {whole} of them fit, from element {head} on. {plural(head, 'element')} before them "
        f"and {tail} after them must be read one float at a time."
    )


def strides() -> Figure:
    """Draw one piece of memory and three tensors that read it: a matrix, its transpose, and an expanded row.

    Returns
    -------
    Figure
        Six numbers in memory. For each tensor, its strides and the place of each of its elements in memory.
    """
    sheet = Sheet(WIDTH, 250)
    cell, left = 34.0, 200
    sheet.write(left - 14, 36, "memory", at="end")
    for place in range(6):
        sheet.box(left + place * cell, 20, cell, 30, fill=BLUE)
        sheet.write(left + (place + 0.5) * cell, 35, str(place), on_color=True)
    views = (
        ("A, shape (2, 3)", "strides (3, 1)", [[0, 1, 2], [3, 4, 5]], BLUE),
        ("A.T, shape (3, 2)", "strides (1, 3)", [[0, 3], [1, 4], [2, 5]], GREEN),
        ("A[:1].expand(3, 3)", "strides (0, 1)", [[0, 1, 2]] * 3, YELLOW),
    )
    for number, (name, stride, rows, color) in enumerate(views):
        x = 40 + number * 230
        sheet.write(x, 86, name, at="start", bold=True)
        sheet.write(x, 106, stride, at="start", code=True)
        for i, row in enumerate(rows):
            for j, place in enumerate(row):
                sheet.box(x + j * cell, 122 + i * 36, cell, 32, fill=color)
                sheet.write(x + (j + 0.5) * cell, 138 + i * 36, str(place), on_color=True)
    return sheet.figure(
        "Six numbers in memory, at places 0 to 5, and three tensors that read them. A of shape (2, 3) has strides "
        "(3, 1): its rows are places 0, 1, 2 and 3, 4, 5. A.T of shape (3, 2) has strides (1, 3): its rows are places "
        "0, 3 and 1, 4 and 2, 5. A[:1].expand(3, 3) has strides (0, 1): each of its three rows is places 0, 1, 2. "
        "Element [i][j] is at place i times the first stride plus j times the second. Nothing was copied."
    )


def _require(name: str, value: int, most: int) -> None:
    if not isinstance(value, int) or not 1 <= value <= most:
        raise CourseError(f"{name} must be a whole number from 1 to {most}, not {value!r}.")
