"""Pictures of matrix products and of sums. They show, by tile or by step, which elements contribute to a result."""

from __future__ import annotations

from course.errors import CourseError
from course.notebook.pictures.svg import BLUE, GREEN, VERMILION, YELLOW, Figure, Sheet

WIDTH = 720


def transposed_product() -> Figure:
    """Draw A (K x M), B (N x K) and C (M x N) of C = A.T @ B.T, with the elements from which C[i][j] is computed.

    Returns
    -------
    Figure
        The three matrices, with the column of A and the row of B for C[i][j], and the order of elements in memory.
    """
    sheet = Sheet(WIDTH, 300)
    M, N, K, i, j, cell = 5, 6, 4, 3, 1, 26.0
    _matrix(sheet, 40, 60, (K, M), cell, {(k, i): BLUE for k in range(K)})
    _matrix(sheet, 270, 60, (N, K), cell, {(j, k): GREEN for k in range(K)})
    _matrix(sheet, 470, 60, (M, N), cell, {(i, j): YELLOW})
    for x, wide, tall, name in ((40, M, K, "A, K x M"), (270, K, N, "B, N x K"), (470, N, M, "C, M x N")):
        sheet.write(x + wide * cell / 2, 24, name, bold=True)
        sheet.line((x, 48), (x + wide * cell, 48), arrow=True, faint=0.7)
        sheet.write(x + wide * cell / 2, 60 + tall * cell + 14, "→ neighbours in memory", faint=0.9, size=11)
    sheet.write(40 + (i + 0.5) * cell, 60 - 22, "i", bold=True)
    sheet.write(28, 60 + 1.5 * cell, "k", bold=True)
    sheet.line((28, 60 + 2 * cell), (28, 60 + 3.4 * cell), arrow=True)
    sheet.write(258, 60 + (j + 0.5) * cell, "j", bold=True)
    sheet.write(270 + 1.5 * cell, 60 - 22, "k", bold=True)
    sheet.write(458, 60 + (i + 0.5) * cell, "i", bold=True)
    sheet.write(470 + (j + 0.5) * cell, 60 - 22, "j", bold=True)
    sheet.write(WIDTH / 2, 272, "C[i][j] = sum over k of A[k][i] * B[j][k]", code=True, size=14)
    return sheet.figure(
        "Three matrices: A with K rows and M columns, B with N rows and K columns, C with M rows and N columns. "
        "Element C[i][j], in row i and column j, is the sum over k of A[k][i] times B[j][k]: column i of A times row j "
        "of B. All three are row-major: neighbours in a row are neighbours in memory. Along k, A is read down a column "
        "and B along a row."
    )


def tile_walk() -> Figure:
    """Draw the tiles that one block uses along k, and the store that transposes the tile of B.

    Returns
    -------
    Figure
        A, B and C, cut into tiles, and the tiles in shared memory.
    """
    sheet = Sheet(WIDTH, 330)
    cell = 34.0
    walk = (BLUE, GREEN)
    _matrix(sheet, 30, 50, (4, 3), cell, {(k, 1): walk[0] for k in range(4)})
    _matrix(sheet, 200, 50, (3, 4), cell, {(2, k): walk[1] for k in range(4)})
    _matrix(sheet, 400, 50, (3, 3), cell, {(1, 2): YELLOW})
    for x, wide, name in ((30, 3, "A, K x M"), (200, 4, "B, N x K"), (400, 3, "C, M x N")):
        sheet.write(x + wide * cell / 2, 24, name, bold=True)
    sheet.line((30 + 1.5 * cell, 54), (30 + 1.5 * cell, 50 + 4 * cell - 6), arrow=True, width=2, color="black")
    sheet.line((204, 50 + 2.5 * cell), (200 + 4 * cell - 6, 50 + 2.5 * cell), arrow=True, width=2, color="black")
    sheet.write(30 + 1.5 * cell, 50 + 4 * cell + 16, "k0, tile by tile", size=11)
    sheet.write(200 + 2 * cell, 50 + 3 * cell + 16, "k0, tile by tile", size=11)
    sheet.write(400 + 1.5 * cell, 50 + 3 * cell + 16, "one block: one tile of C", size=11)
    small = 22.0
    sheet.write(30, 300, "In shared memory, for each k0", at="start", bold=True)
    for x, title, color, across in ((250, "As[k][i]", BLUE, ("i", "k")), (500, "Bs[k][j]", GREEN, ("j", "k"))):
        _matrix(sheet, x, 240, (3, 3), small, {(r, c): color for r in range(3) for c in range(3)})
        sheet.write(x + 1.5 * small, 316, title, code=True)
        sheet.write(x + 1.5 * small, 230, across[0], bold=True)
        sheet.write(x - 10, 240 + 1.5 * small, across[1], bold=True)
    sheet.line((114, 214), (236, 262), arrow=True, faint=0.8)
    sheet.write(110, 262, "stored in the same order", size=11)
    sheet.line((300, 180), (480, 262), arrow=True, color=VERMILION, width=2)
    sheet.write(400, 276, "rows become columns", size=11)
    return sheet.figure(
        "A (K x M), B (N x K) and C (M x N), cut into square tiles. One block makes one tile of C. The block goes "
        "down a column of tiles of A and along a row of tiles of B, both along k. For each step k0 the block stores "
        "both tiles in shared memory. The tile of A is stored in its order in global memory, As[k][i]. The tile of B "
        "has the order [j][k] in global memory and is stored as Bs[k][j], so its rows become columns."
    )


def outer_product() -> Figure:
    """Draw the outputs that one thread keeps in registers, with the values that it loads for one k.

    Returns
    -------
    Figure
        A column of values of A, a row of values of B, and their products.
    """
    rows = columns = 8
    cell, left, top = 28.0, 250, 64
    sheet = Sheet(WIDTH, top + rows * cell + 40)
    for row in range(rows):
        sheet.box(left - cell - 12, top + row * cell, cell, cell, fill=BLUE)
        sheet.write(left - 12 - cell / 2, top + (row + 0.5) * cell, f"a{row}", on_color=True)
    for column in range(columns):
        sheet.box(left + column * cell, top - cell - 10, cell, cell, fill=GREEN)
        sheet.write(left + (column + 0.5) * cell, top - 10 - cell / 2, f"b{column}", on_color=True)
    _matrix(sheet, left, top, (rows, columns), cell, {(r, c): YELLOW for r in range(rows) for c in range(columns)})
    sheet.write(left - cell - 24, top + rows * cell / 2, f"{rows} values of A", at="end")
    sheet.write(left + columns * cell + 12, top - 10 - cell / 2, f"{columns} values of B", at="start")
    sheet.write(
        left + columns * cell + 12, top + rows * cell / 2 - 9, f"{rows} x {columns} sums", at="start", bold=True
    )
    sheet.write(left + columns * cell + 12, top + rows * cell / 2 + 9, "in registers", at="start")
    sheet.write(left + columns * cell / 2, top + rows * cell + 20, "for each k: sum[r][c] += a[r] * b[c]", code=True)
    return sheet.figure(
        f"One thread's tile of C: {rows} rows and {columns} columns of sums in registers. For each k the thread loads "
        f"{rows} values of A and {columns} values of B from shared memory ({rows + columns} loads). It adds the "
        f"product of each value of A and each value of B to its own sum ({rows * columns} multiply-adds)."
    )


def reduction_tree(threads: int = 8) -> Figure:
    """Draw a sum by halves in shared memory, with the barriers between its steps.

    Parameters
    ----------
    threads : int
        The number of values, which is also the number of threads: 2, 4, 8 or 16.

    Returns
    -------
    Figure
        The values step by step, with an arrow from each value to the sum that it is added to.

    Raises
    ------
    CourseError
        If `threads` is another number.
    """
    if threads not in (2, 4, 8, 16):
        raise CourseError(f"threads must be 2, 4, 8 or 16, not {threads!r}.")
    cell, left, step = min(52.0, 560 / threads), 130, 64
    levels = threads.bit_length()
    sheet = Sheet(WIDTH, step * levels)
    sheet.write(left - 14, 34, "partial", at="end", code=True)
    half, y = threads, 20.0
    for level in range(levels):
        for place in range(threads):
            fill = (YELLOW if level else BLUE) if place < half else "none"
            sheet.box(left + place * cell, y, cell, 28, fill=fill, faint=1 if place < half else 0.3)
            if place < half:
                sheet.write(left + (place + 0.5) * cell, y + 14, str(place), on_color=True)
        if level == levels - 1:
            break
        barrier = y + 38
        sheet.line((left, barrier), (left + threads * cell, barrier), color=VERMILION, dashed=True, width=1.6)
        sheet.write(left - 14, barrier, "__syncthreads()", at="end", code=True, size=11)
        for place in range(half // 2):
            there = (left + (place + 0.5) * cell, y + step - 2)
            sheet.line((left + (place + half // 2 + 0.5) * cell, y + 29), there, arrow=True, faint=0.9)
        half, y = half // 2, y + step
    return sheet.figure(
        f"The sum of {threads} values in shared memory, by halves. After a barrier, thread t below {threads // 2} adds "
        f"value t + {threads // 2} to value t. After each further barrier, half as many threads add. After "
        f"{levels - 1} steps, value 0 is the sum of all values. There is a barrier before each step, "
        "since the step reads what other threads wrote."
    )


def _matrix(
    sheet: Sheet, x: float, y: float, shape: tuple[int, int], cell: float, colors: dict[tuple[int, int], str]
) -> None:
    """Draw a matrix of square cells with its upper left corner at (x, y). Cells in `colors` are filled."""
    rows, columns = shape
    for row in range(rows):
        for column in range(columns):
            color = colors.get((row, column))
            sheet.box(x + column * cell, y + row * cell, cell, cell, fill=color or "none", faint=1 if color else 0.5)
