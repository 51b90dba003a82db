"""The likely mistakes in each prediction, and the words that it allows.

Each function is named after a question of `predictions.py`. Its parameters are those constants of the question that it
needs. It returns a dict from wrong values to texts that explain them, as in {3906: "is 1,000,003 / 256 rounded down"}.
A message shows the student's value, followed by this text. If the answer to a question is a dict, the function returns
such a dict for each entry of the answer. No text names the right value.
"""

from __future__ import annotations

from collections.abc import Mapping

Mistakes = Mapping[int | float | str, str]

FLOAT, SECTOR = 4, 32  # bytes
IN_SECONDS = "is the time in seconds, not in the unit that is asked for."
IN_MICROSECONDS = "is the time in microseconds, not in the unit that is asked for."
IN_NANOSECONDS = "is the time in nanoseconds, not in the unit that is asked for."
ELEMENTS = "is off by a factor of exactly 4: did you count elements instead of bytes?"
ROUNDED_UP = "is rounded up, or to the nearest whole number; the question asks you to round down."

# The words that a question allows for an entry, in the question's order.
WORDS = {"first_kernel_clinic": ("index", "guard", "grid", "healthy")}
# Further right values of an entry: a grid of one block has the symptoms of patient 3, too.
ALSO_RIGHT: Mapping[str, Mapping[str, str]] = {"first_kernel_clinic": {"patient 3": "grid"}}


def _rounded_up(amount: int, divisor: int) -> int:
    return -(-amount // divisor)


def first_kernel_blocks(N: int, THREADS: int) -> Mistakes:
    return {
        N // THREADS: f"is {N:,} / {THREADS} rounded down: {N % THREADS} elements get no thread.",
        N: f"would be one block per element, but each of a block's {THREADS} threads computes one element.",
        THREADS: "is the number of threads in a block; the question asks for the number of blocks.",
        _rounded_up(N, THREADS) * THREADS: "is the number of threads in all blocks together, not the number of blocks.",
    }


def first_kernel_clinic() -> dict[str, Mistakes]:
    return {
        "patient 1": {
            "healthy": "overlooks what N / kThreads is in C++: how many blocks is this for N = 10 and blocks of 4?",
            "guard": "does not fit: the line shown is the launch, and the kernel has the same guard as `twice`.",
            "index": "does not fit: each thread that runs handles the same element as in `twice`.",
        },
        "patient 2": {
            "healthy": "overlooks the thread with i == N: the elements of C are 0 to N - 1.",
            "index": "does not fit: each of the elements 0 to N - 1 has a thread of its own.",
            "grid": "does not fit: the launch is the same as for `twice`, so there are enough blocks.",
        },
        "patient 3": {
            "guard": "does not fit: a wrong guard affects elements near N, but here all from element 256 on are wrong.",
            "healthy": "overlooks the elements from 256 on, which are wrong for N = 1000.",
        },
        "patient 4": {
            "grid": (
                "does not fit: how many blocks of 4 threads are there for N = 10, and how many for N = 12? Are these "
                "too few?"
            ),
            "guard": "does not fit: the kernel has the same guard as `twice`.",
            "index": "does not fit: the kernel has the same index as `twice`.",
        },
    }


def row_scaling_sectors(LANES: int) -> Mistakes:
    return {
        LANES * FLOAT // SECTOR: (
            f"would be right if the lanes loaded {LANES} neighbouring floats, but the floats of neighbouring lanes are "
            "a row of B apart."
        ),
        1: "would be right if all lanes loaded from one sector, but each lane has its own row of B.",
        SECTOR // FLOAT: "is the number of floats in a sector; the question asks for the number of sectors.",
        LANES * FLOAT: "is the number of bytes that the lanes use; the question asks for the number of sectors.",
        LANES * SECTOR: "is the number of bytes that are fetched; the question asks for the number of sectors.",
    }


def row_scaling_least_time(M: int, N: int, BYTES_PER_MICROSECOND: int) -> Mistakes:
    moved, rate = FLOAT * (M + 2 * M * N), BYTES_PER_MICROSECOND
    return {
        FLOAT * (M + M * N) // rate: "is the time to move one matrix, but B is read and C is written.",
        moved // FLOAT // rate: "is the number of elements divided by the bytes per second; an element has 4 bytes.",
        FLOAT * 3 * M * N // rate: "is the time to move three matrices, but A is a vector of only M elements.",
        _rounded_up(moved, rate): ROUNDED_UP,
        1000 * moved // rate: IN_NANOSECONDS,
    }


def row_scaling_backward_passes() -> dict[str, Mistakes]:
    return {
        "PyTorch": {
            5: "leaves out one pass: each operation reads all its inputs, and the products are written and read.",
            4: "leaves out the matrix of products, which one operation writes and the next reads.",
            3: "is the number of operations, but an operation can take more than one pass.",
            7: "counts a vector as a matrix: the operation that sums each row writes only M elements.",
        },
        "two kernels": {
            3: "counts one read of dC, but each of the two kernels must read dC.",
            5: "counts a vector as a matrix: dA has only M elements.",
            6: "counts the matrix of products, but the products stay in registers.",
            2: "is the number of kernels, but each kernel takes more than one pass.",
        },
        "one kernel": {
            2: "leaves out a matrix: list those that the kernel reads, then those that it writes.",
            4: "counts a matrix twice, or a vector as a matrix. Each element of a matrix is read or written once.",
            1: "is the number of kernels, but one kernel takes more than one pass.",
        },
    }


def scalar_multiply_resident(BLOCK: int, MAX_BLOCKS: int, MAX_THREADS: int) -> Mistakes:
    return {
        MAX_THREADS: f"is the limit of threads: it allows {MAX_THREADS // BLOCK} blocks of {BLOCK} threads.",
        MAX_BLOCKS: "is the limit of blocks; the question asks for threads.",
        MAX_THREADS // 32: "is the limit of warps; the question asks for threads.",
    }


def scalar_multiply_in_flight(BYTES: int, THREADS: int, FLOAT: int) -> Mistakes:
    there = THREADS * FLOAT
    return {
        _rounded_up(100 * there, BYTES): ROUNDED_UP,
        100
        * THREADS
        // BYTES: f"is 100 * {THREADS} / {BYTES:,}: threads divided by bytes, but each thread requests {FLOAT} bytes.",
        100 * BYTES // there: (
            f"is 100 * {BYTES:,} / {there}: it divides the bytes that are needed by the bytes in flight. Divide the "
            "other way round."
        ),
        100 * there // BYTES // 2: f"is half the share, but the {BYTES:,} bytes are loads only, without stores.",
        100 - 100 * there // BYTES: "is the part of a copy's speed that is lost.",
    }


def scalar_multiply_copy_bytes(M: int, N: int) -> Mistakes:
    matrix = FLOAT * M * N
    return {
        matrix: "is one matrix, or " + ELEMENTS.removeprefix("is "),
        2 * matrix: "counts only two matrices: those of the copy alone, or those of the kernel alone.",
        3 * matrix: "counts only three matrices: list what the copy moves, then what the kernel moves.",
    }


def transposed_matmul_least_time(
    M: int, K: int, N: int, OPERATIONS_PER_MICROSECOND: int, BYTES_PER_MICROSECOND: int
) -> Mistakes:
    operations, moved = 2 * M * N * K, FLOAT * (K * M + N * K + M * N)
    arithmetic, memory = operations / OPERATIONS_PER_MICROSECOND, moved / BYTES_PER_MICROSECOND
    added = "is the sum of both times, but memory moves bytes while the arithmetic units compute."
    return {
        int(min(arithmetic, memory)): "is the shorter of the two times, but the product takes at least the longer one.",
        int(arithmetic + memory): added,
        int(arithmetic) + int(memory): added,
        operations // 2 // OPERATIONS_PER_MICROSECOND: "counts a multiply-add as one operation, but it is two.",
        int(max(arithmetic, memory)) + 1: ROUNDED_UP,
        int(1000 * max(arithmetic, memory)): IN_NANOSECONDS,
    }


def transposed_matmul_sectors_j(LANES: int, FLOAT: int, SECTOR: int) -> dict[str, Mistakes]:
    each = f"is one sector per lane, but a sector holds {SECTOR // FLOAT} neighbouring floats."
    in_a_row = LANES * FLOAT // SECTOR
    return {
        "A": {
            LANES: "is one sector per lane. How many different elements of A do the lanes load?",
            in_a_row: (
                f"would be right if the lanes loaded {LANES} neighbouring floats. How many different elements of A do "
                "they load?"
            ),
        },
        "B": {
            in_a_row: (
                f"would be right if the lanes loaded {LANES} neighbouring floats, but B[j][k] and B[j + 1][k] are a "
                "row of B apart."
            ),
            1: "would be right if all lanes loaded the same element, but each lane has its own j.",
        },
        "C": {
            LANES: each,
            1: f"would be right if the lanes stored at most {SECTOR} bytes, but they store {LANES * FLOAT} bytes.",
            SECTOR // FLOAT: "is the number of floats in a sector; the question asks for the number of sectors.",
        },
    }


def tiled_matmul_traffic(M: int, N: int, K: int, TILE: int) -> dict[str, Mistakes]:
    naive = FLOAT * 2 * M * N * K
    return {
        "naive": {
            naive // FLOAT: ELEMENTS,
            naive // 2: "counts one float per step, but each step loads an element of A and an element of B.",
            FLOAT * (K * M + N * K): (
                "would be right if A and B were loaded once, but every thread loads all elements that it multiplies."
            ),
            FLOAT * (K * M + N * K + M * N): (
                "would be right if each matrix were moved once, but every thread loads all elements that it multiplies."
            ),
        },
        "tiled": {
            naive // TILE // FLOAT: ELEMENTS,
            naive // TILE**2: (
                f"is the number of bytes of the naive kernel, divided by the {TILE**2} threads of a block. How many of "
                "these threads use the same element?"
            ),
            naive // TILE // 2: "counts one matrix, but each thread loads an element of A and an element of B.",
            FLOAT * (K * M + N * K): "would be right if A and B were loaded once, but each block loads its own tiles.",
        },
    }


def tiled_matmul_wavefronts(TILE: int, BANKS: int) -> dict[str, Mistakes]:
    apart = (
        f"would be right if all words were in different banks, but the words of neighbouring tx are {TILE} words "
        f"apart, and there are {BANKS} banks."
    )
    one_bank = (
        f"would be right if all {TILE} rows began in the same bank. In which banks are the words 0, {TILE} and "
        f"{2 * TILE}?"
    )
    twice = "counts the two rows of threads separately. Are their words in the same banks, or are these the same words?"
    spread = "would be right if many words shared a bank, but threads with neighbouring tx request neighbouring words."
    return {
        "[k][j] store": {1: apart, TILE: one_bank, TILE // 4: "is too few: how many tx have a word in bank 0?"},
        "[k][j] load": {2: twice, BANKS // 4: spread, TILE: spread},
        "[j][k] store": {2: twice, BANKS // 4: spread, TILE: spread},
        "[j][k] load": {1: apart, TILE: one_bank, 2: twice},
    }


def relu_start_time(M: int, N: int, BLOCK: int, BLOCKS_PER_SECOND: float) -> Mistakes:
    seconds = M * N / BLOCK / BLOCKS_PER_SECOND
    return {
        seconds: IN_SECONDS,
        seconds * 1e6: IN_MICROSECONDS,
        M * N / BLOCKS_PER_SECOND * 1e3: (
            f"would be right for one block per element, but a block handles {BLOCK} elements."
        ),
        seconds * 1e3 / 4: "would be right if each thread loaded four elements, but here each thread loads one.",
    }


def scaled_relu_passes(KERNEL: int) -> dict[str, Mistakes]:
    one_way = "counts only what is read, or only what is written: a kernel must read the matrix and write its result."
    return {
        "relu(A[:, None] * B * s)": {
            3: "is the number of operations, but each operation reads a matrix and writes a matrix.",
            2 * KERNEL: "leaves out one of the three operations: the product with A, the product with s, and relu.",
            KERNEL: "would be right for a single kernel, but PyTorch runs one kernel for each operation.",
        },
        "relu((A * s)[:, None] * B)": {
            3 * KERNEL: "counts A * s as a matrix, but A is a vector and s is a number.",
            2: "is the number of operations on a matrix, but each of them reads a matrix and writes a matrix.",
            3: "is the number of operations; which of them read and write a matrix?",
        },
        "one kernel": {1: one_way, 3: "counts too much: A is a vector, and intermediate results stay in registers."},
    }


def softmax_passes() -> dict[str, Mistakes]:
    return {
        "five PyTorch calls": {
            10: "counts a read and a write for every call, but the maximum and the sum write only a column.",
            5: "is the number of calls; which of them read a matrix, and which of them write a matrix?",
            9: "counts a column as a matrix: the maximum and the sum write only a column.",
        },
        "three loops in one kernel": {
            3: "counts only what the three loops read, but the quotients are also stored.",
            6: "counts a read and a write for each loop, but the maximum and the sum stay in the kernel.",
            2: "counts one read of the row, but each of the loops reads the row from memory.",
        },
        "maximum and sum in one loop": {
            2: "is what the loops read; the quotients are stored too.",
            4: "counts a write for each loop, or counts three loops: there are two loops, and only one of them stores.",
        },
        "the row kept in registers": {
            1: "counts only what is read, or only what is written.",
            3: "counts a second read of the row, but the row is in registers after the first load.",
        },
    }


def linear_relu_costs(
    M: int, K: int, N: int, OPERATIONS_PER_SECOND: float, BYTES_PER_SECOND: float, KERNEL: int
) -> dict[str, Mistakes]:
    product, passes = 2 * M * N * K / OPERATIONS_PER_SECOND, KERNEL * FLOAT * M * N / BYTES_PER_SECOND
    own = "counts the pass that writes the product itself, which the question leaves out."
    return {
        "passes of relu(X @ W.T + b)": {
            2 * KERNEL + 1: own,
            KERNEL: "is the number of operations after the product; each of them reads a matrix and writes a matrix.",
            3: "leaves out one pass, or counts the product itself: list what `+ b` and relu read and write.",
        },
        "passes with one kernel after the product": {
            KERNEL + 1: own,
            KERNEL - 1: "counts only what is read, or only what is written.",
            0: "would be right if the product's kernel added the bias and applied relu, but another kernel does both.",
        },
        "ms of the product": {
            product: IN_SECONDS,
            product * 1e6: IN_MICROSECONDS,
            product * 1e3 / 2: "counts a multiply-add as one operation, but it is two.",
        },
        "ms of two passes": {
            passes: IN_SECONDS,
            passes * 1e6: IN_MICROSECONDS,
            passes * 1e3 / KERNEL: "is the time of one pass.",
            passes * 1e3 / FLOAT: ELEMENTS,
        },
    }


def fast_matmul_wavefronts(WIDE: int, BANKS: int) -> dict[str, Mistakes]:
    def needs(words: int, row: int) -> str:
        """Which words would take that many wavefronts; the second half of the warp stores `WIDE` rows further on."""
        need = f"{words} different words in one bank" if words > 1 else f"{BANKS} different banks"
        return f"would need {need}. The second 16 words begin at word {WIDE * row}: in which banks are these words?"

    return {
        "128": {words: needs(words, 128) for words in (1, 8, 16, 32)},
        "129": {words: needs(words, 129) for words in (1, 8, 16)},
        "132": {words: needs(words, 132) for words in (2, 4, 8)},
    }


def fast_matmul_resident(REGISTERS: int, THREADS: int, REGISTERS_A_THREAD: int) -> Mistakes:
    return {
        REGISTERS // REGISTERS_A_THREAD: "is a number of threads; the question asks for the number of blocks.",
        REGISTERS // THREADS: f"is {REGISTERS:,} / {THREADS}: how many registers does each thread need?",
        2048 // THREADS: "would be right if only the limit of 2048 threads counted, but registers run out first.",
        THREADS * REGISTERS_A_THREAD: "is the number of registers of one block; the question asks for blocks.",
    }


def fast_matmul_busiest(M: int, N: int, MULTIPROCESSORS: int) -> dict[str, Mistakes]:
    def mistakes(rows: int, columns: int) -> Mistakes:
        tiles = _rounded_up(M, rows) * _rounded_up(N, columns)
        share = f"{tiles} tiles / {MULTIPROCESSORS}"
        return {
            tiles // MULTIPROCESSORS * rows * columns: f"rounds {share} down, but all tiles must be computed.",
            _rounded_up(tiles, MULTIPROCESSORS): "is the number of tiles; the question asks for elements of C.",
            rows * columns: "is one tile, but there are more tiles than multiprocessors.",
            M * N // MULTIPROCESSORS: "is an equal share of C, but each multiprocessor computes whole tiles.",
        }

    return {"128 x 128": mistakes(128, 128), "128 x 64": mistakes(128, 64)}
