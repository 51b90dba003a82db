"""The predictions, one function per question. The default arguments are its constants, and the result is the answer.
A parameter in capitals is a size of the task: `load_task("row_scaling_least_time", {"N": 65536})` asks about another
matrix.
A function uses no names from outside its body, because a worker gets only its text. solutions/README.md lists the
constants of an H200.
"""


def first_kernel_blocks(N: int = 1_000_003, THREADS: int = 256) -> int:
    """How many blocks of THREADS threads a kernel with one thread per element needs for N elements."""
    return (N + THREADS - 1) // THREADS


def first_kernel_clinic() -> dict[str, str]:
    """The mistake in each of notebook 00's four patients."""
    return {"patient 1": "grid", "patient 2": "guard", "patient 3": "index", "patient 4": "healthy"}


def row_scaling_narrow(LANES: int = 32, N: int = 4) -> int:
    """The sectors of 32 bytes that a warp's load touches if each lane reads its own row of B, which has N floats."""
    return len({4 * N * lane // 32 for lane in range(LANES)})


def row_scaling_least_time(
    M: int = 4096,
    N: int = 4096,
    BYTES_PER_MICROSECOND: int = 4_250_000,  # 4.25 TB/s: a copy of 6 GiB, measured on an H200
) -> int:
    """The whole microseconds that an H200 needs to read A and B and write C at the rate of a copy."""
    return 4 * (M + 2 * M * N) // BYTES_PER_MICROSECOND


def row_scaling_backward_passes() -> dict[str, int]:
    """How often a matrix of M x N is read or written for both gradients of row scaling, in three ways.

    Of PyTorch's three operations, the first reads dC and writes dB. The second reads dC and B and writes their
    products, and the third reads the products. Of the two kernels, the first reads dC and writes dB, and the second
    reads dC and B. The one kernel reads dC and B and writes dB.
    """
    return {"PyTorch": 6, "two kernels": 4, "one kernel": 3}


def scalar_multiply_resident(
    BLOCK: int = 32,  # threads
    MAX_BLOCKS: int = 32,  # CUDA C++ Programming Guide, "Technical Specifications per Compute Capability", 9.0
    MAX_THREADS: int = 2048,
) -> int:
    """How many threads one of an H200's multiprocessors holds at a time if blocks have 32 threads."""
    return min(MAX_BLOCKS * BLOCK, MAX_THREADS)


def scalar_multiply_in_flight(
    BYTES_PER_MICROSECOND: int = 16_100,  # a multiprocessor's share of what a copy reads, measured on an H200
    NANOSECONDS: int = 340,  # from a load to its data, by a chain of loads through 1 GiB, measured on an H200
) -> int:
    """The bytes of loads that a multiprocessor must have in flight to read at a copy's speed, by Little's law."""
    return BYTES_PER_MICROSECOND * NANOSECONDS // 1000


def scalar_multiply_copy_bytes(M: int = 65536, N: int = 16384) -> int:
    """How many bytes are moved if a matrix is made contiguous before it is multiplied."""
    return 4 * 4 * M * N  # the copy reads a matrix and writes one, and so does the multiplication


def transposed_matmul_least_time(
    M: int = 2048,
    K: int = 8192,
    N: int = 4096,
    OPERATIONS_PER_MICROSECOND: int = 67_000_000,  # 67 TFLOP/s: NVIDIA's data sheet of the H200, fp32
    BYTES_PER_MICROSECOND: int = 4_250_000,  # 4.25 TB/s: a copy of 6 GiB, measured on an H200
) -> int:
    """The least time of C = A.T @ B.T on an H200 according to the roofline, in whole microseconds."""
    arithmetic = 2 * M * N * K // OPERATIONS_PER_MICROSECOND
    memory = 4 * (K * M + N * K + M * N) // BYTES_PER_MICROSECOND
    return max(arithmetic, memory)


def transposed_matmul_bank_time(
    M: int = 2048,
    K: int = 8192,
    N: int = 4096,
    LANES: int = 32,
    BANKS: int = 32,
    MULTIPROCESSORS: int = 132,
    CLOCKS_PER_MILLISECOND: int = 1_980_000,  # an H200's highest clock
) -> dict[str, int]:
    """The least time of both kernels for C = A.T @ B.T by the banks of the L1 cache, in whole milliseconds."""

    def clocks(words: set[int]) -> int:
        """The largest number of different words in one bank."""
        banks = [word % BANKS for word in words]
        return max(banks.count(bank) for bank in banks)

    one, neighbours, rows_apart = {0}, set(range(LANES)), {lane * K for lane in range(LANES)}
    steps = M * N // LANES * K // MULTIPROCESSORS  # of all warps of a multiprocessor together
    return {
        "x along j": steps * (clocks(one) + clocks(rows_apart)) // CLOCKS_PER_MILLISECOND,
        "x along i": steps * (clocks(neighbours) + clocks(one)) // CLOCKS_PER_MILLISECOND,
    }


def tiled_matmul_traffic(M: int = 2048, N: int = 4096, K: int = 8192, TILE: int = 16) -> dict[str, int]:
    """How many bytes of A and B the threads load from global memory, in the naive kernel and with 16 x 16 tiles."""
    naive = 4 * 2 * M * N * K  # two floats for each multiply-add
    return {"naive": naive, "tiled": naive // TILE}


def tiled_matmul_wavefronts(TILE: int = 16, BANKS: int = 32) -> dict[str, int]:
    """The wavefronts of a warp's store to B's tile and of its load from it, in two layouts, for 16 x 16 blocks."""

    def wavefronts(words: list[int]) -> int:
        """The largest number of different words in one bank."""
        banks = [word % BANKS for word in set(words)]
        return max(banks.count(bank) for bank in banks)

    lanes = [(lane % TILE, lane // TILE) for lane in range(32)]  # tx and ty in the block's first warp
    return {
        "[k][j] store": wavefronts([tx * TILE + ty for tx, ty in lanes]),  # Bs[tx][ty]
        "[k][j] load": wavefronts([tx for tx, _ in lanes]),  # Bs[k][tx], at k = 0
        "[j][k] store": wavefronts([ty * TILE + tx for tx, ty in lanes]),  # Bs[ty][tx]
        "[j][k] load": wavefronts([tx * TILE for tx, _ in lanes]),  # Bs[tx][k]
    }


def scaled_relu_passes(
    KERNEL: int = 2,  # passes of a kernel for one operation, which reads the matrix and writes the result
) -> dict[str, int]:
    """The passes (reads or writes) over a matrix of M x N, in three ways to compute relu(A[:, None] * B * s)."""
    return {
        "relu(A[:, None] * B * s)": 3 * KERNEL,  # the row scaling, the scale, ReLU
        "relu((A * s)[:, None] * B)": 2 * KERNEL,  # A * s is a vector
        "one kernel": KERNEL,
    }


def softmax_passes() -> dict[str, int]:
    """The passes (reads or writes) over a matrix of M x N, in four ways to compute the softmax of its rows."""
    return {
        "five PyTorch calls": 1 + 2 + 2 + 1 + 2,  # the maximum, the difference, exp, the sum, the quotient
        "three loops in one kernel": 3 + 1,
        "maximum and sum in one loop": 2 + 1,
        "the row kept in registers": 1 + 1,
    }


def linear_relu_costs(
    M: int = 1024,
    K: int = 8192,
    N: int = 8192,
    OPERATIONS_PER_SECOND: float = 67e12,  # in fp32, from the H200's data sheet
    BYTES_PER_SECOND: float = 4.25e12,  # a copy of 6 GiB, measured on an H200
    KERNEL: int = 2,  # passes of a kernel for one operation, which reads the matrix and writes the result
) -> dict[str, float]:
    """The passes over the output of a linear layer with ReLU, without the product's own pass, and two least times."""
    return {
        "passes of relu(X @ W.T + b)": 2 * KERNEL,
        "passes with one kernel after the product": KERNEL,
        "ms of the product": 2 * M * N * K / OPERATIONS_PER_SECOND * 1e3,
        "ms of two passes": KERNEL * 4 * M * N / BYTES_PER_SECOND * 1e3,
    }


def fast_matmul_wavefronts(
    WIDE: int = 4,  # neighbouring floats along k that one load reads
    DEPTH: int = 8,  # values of k in a step
    BANKS: int = 32,
) -> dict[str, int]:
    """The wavefronts of the transposed store of B's tile, for three lengths of the tile's rows in words."""

    def wavefronts(row: int) -> int:
        """The wavefronts in which a warp stores the first float of each lane's float4, if rows are `row` words long."""
        words = [lane % (DEPTH // WIDE) * WIDE * row + lane // (DEPTH // WIDE) for lane in range(32)]
        banks = [word % BANKS for word in words]
        return max(banks.count(bank) for bank in banks)

    return {"128": wavefronts(128), "129": wavefronts(129), "132": wavefronts(132)}


def fast_matmul_resident(
    REGISTERS: int = 65536,  # of a multiprocessor, 32 bits each
    THREADS: int = 256,
    REGISTERS_A_THREAD: int = 128,
) -> int:
    """How many blocks of 256 threads one multiprocessor holds if each thread has 128 registers."""
    # CUDA C++ Programming Guide, "Technical Specifications per Compute Capability", 9.0
    return REGISTERS // (THREADS * REGISTERS_A_THREAD)


def fast_matmul_busiest(M: int = 1000, N: int = 3000, MULTIPROCESSORS: int = 132) -> dict[str, int]:
    """How many elements of C the busiest multiprocessor of an H200 computes, for two sizes of tiles."""

    def busiest(rows: int, columns: int) -> int:
        blocks = -(-M // rows) * -(-N // columns)
        return -(-blocks // MULTIPROCESSORS) * rows * columns

    return {"128 x 128": busiest(128, 128), "128 x 64": busiest(128, 64)}


def attention_traffic(HEADS: int = 64, N: int = 2048, DIM: int = 64) -> dict[str, int]:
    """The bytes of the passes over N x N matrices that three kernels make, and of one pass over Q, K, V and O."""
    return {"S and P": 4 * 4 * HEADS * N * N, "Q, K, V and O": 4 * 4 * HEADS * N * DIM}


def scalar_multiply_int_length(N: int = 2**32 + 264, THREADS: int = 256) -> dict[str, int]:
    """What is left of N elements in an int, the blocks that it leads to, and the elements that they scale."""
    n = (N + 2**31) % 2**32 - 2**31
    return {"n": n, "blocks": -(-n // THREADS), "scaled": n}


def histogram_contention(N: int = 65_536, BLOCKS: int = 16) -> dict[str, int]:
    """The most operations on one address if all N elements are equal, without and with a histogram for each block."""
    return {"global atomics": N, "private, in shared memory": N // BLOCKS, "private, in global memory": BLOCKS}


def cumsum_passes() -> dict[str, int]:
    """How often an array is read or written by a scan over blocks, in three ways.

    Scanning reads and writes it, and so does adding. Summing only reads it. One kernel reads and writes it once.
    """
    return {"scan, then add": 4, "sum, then scan": 3, "one kernel": 2}


def row_scaling_printed(ROW: int = 61, N: int = 47) -> int:
    """The row that the thread of element ROW * N computes as ROW * N * (1 / N) in float, rounded down."""
    return ROW - 1  # the product is 60.999996


def profiled_kernels() -> dict[str, str]:
    """The kernel of each of the four reports by Nsight Compute that notebook 12 shows."""
    return {"A": "x along j", "B": "thread per row", "C": "tiles [j][k]", "D": "float4"}


def resident_blocks(THREADS: int = 2048, REGISTERS: int = 65_536, KIBIBYTES: int = 228) -> dict[str, int]:
    """How many blocks one multiprocessor holds of three kernels, each of which meets another limit first.

    The limits are those of compute capability 9.0. Of the shared memory, a block takes 1 KiB more than it declares.
    """
    return {"X": THREADS // 768, "Y": KIBIBYTES // (24 + 1), "Z": REGISTERS // (128 * 112)}


def profiled_step(STEP: float = 2679.1, ATTENTION: float = 465.8, PRODUCTS: float = 2081.9) -> dict[str, float]:
    """How many times as fast the whole step would be if some of its kernels took no time (in microseconds, H200)."""
    return {"attention": STEP / (STEP - ATTENTION), "products": STEP / (STEP - PRODUCTS)}


def triton_programs(M: int = 37, N: int = 1500, BLOCK: int = 1024) -> dict[str, int]:
    """The programs of a grid with a row cut into tiles of BLOCK, and the places of the row's last tile past its end."""
    return {"programs": M * -(-N // BLOCK), "masked": -N % BLOCK}


def triton_softmax(N: int = 1500, WARPS: int = 4) -> dict[str, int]:
    """The least power of two that holds a row, and how many of these places each thread of a program has."""
    BLOCK = 1 << (N - 1).bit_length()
    return {"BLOCK": BLOCK, "places per thread": BLOCK // (32 * WARPS)}
