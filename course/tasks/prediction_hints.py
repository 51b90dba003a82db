"""The hint of each prediction, which `check` shows after two wrong tries."""

HINTS = {
    "first_kernel_blocks": (
        "Divide the number of elements by the number of threads in a block, and round up: some threads of the last "
        "block may have no element."
    ),
    "first_kernel_clinic": (
        "For N = 10 and for N = 12, with blocks of 4 threads, list which element each thread writes. For patient 3, do "
        "the same for N = 100 and blocks of 256 threads: how many blocks are there? A block without elements does no "
        "harm, since the guard stops its threads."
    ),
    "row_scaling_sectors": (
        "The floats that two neighbouring lanes load are a whole row of B apart. Compare this distance in bytes with "
        "the size of a sector: can two lanes share a sector?"
    ),
    "row_scaling_least_time": (
        "Add up the elements that are read and written. Multiply by 4 bytes, divide by the bytes per second, and "
        "multiply by a million for microseconds. int(...) rounds down."
    ),
    "row_scaling_backward_passes": (
        "For each operation or kernel, list the matrices that it reads and the matrices that it writes. If one "
        "operation of PyTorch passes a matrix to the next operation, the matrix is written and read."
    ),
    "scalar_multiply_resident": (
        "The number of threads is blocks times threads per block. If you add more and more blocks, which limit is "
        "reached first: the number of blocks or the number of threads?"
    ),
    "scalar_multiply_in_flight": (
        "Divide the bytes that all threads together have in flight by the bytes that are needed. Multiply by 100, and "
        "round down."
    ),
    "scalar_multiply_copy_bytes": (
        "Count whole matrices: first those that the copy reads and writes, then those that the kernel reads and "
        "writes. A matrix has 4 bytes per element."
    ),
    "transposed_matmul_least_time": (
        "Divide the operations (two for each multiply-add) by the operations per second, and the bytes of A, B and C "
        "by the bytes per second. Arithmetic and memory work at the same time, so the longer of the two times decides."
    ),
    "transposed_matmul_sectors_j": (
        "For each request, how far apart are the addresses of neighbouring lanes: not at all, one float, or a whole "
        "row? A sector is fetched once, even if several lanes need data in it."
    ),
    "tiled_matmul_traffic": (
        "For the naive kernel, multiply the number of threads, the number of steps of k, two floats per step, and 4 "
        "bytes per float. With tiles, each thread also loads two floats per step. How many values of k does a step "
        "have?"
    ),
    "tiled_matmul_wavefronts": (
        "For each of the 32 threads, write down the number of its word modulo 32: this is the bank. The number of "
        "wavefronts is the largest number of different words in one bank. If several threads request the same word, "
        "count the word once."
    ),
    "relu_start_time": (
        "Divide the number of elements by the number of threads in a block, then by the number of blocks that start "
        "in a second. The result is in seconds."
    ),
    "scaled_relu_passes": (
        "Each operation on a matrix reads one matrix and writes one. Which operations use a matrix, and "
        "which use only a vector and a number?"
    ),
    "softmax_passes": (
        "Each call reads the matrix once, and so does each loop over a row in memory. Which calls and loops also "
        "write a matrix, rather than a column?"
    ),
    "linear_relu_costs": (
        "The product has 2 * M * N * K operations, and a pass has 4 * M * N bytes. Divide operations by operations "
        "per second, and bytes by bytes per second. Multiply by 1000 for milliseconds. Each operation after the "
        "product reads a matrix and writes a matrix."
    ),
    "fast_matmul_wavefronts": (
        "The first 16 words are in banks 0 to 15. The other 16 words begin at word 4 * row. Take this number modulo "
        "32: which of the banks 0 to 15 do the other 16 words use, too?"
    ),
    "fast_matmul_resident": (
        "A block needs as many registers as its threads times the registers per thread. For how many such blocks does "
        "a multiprocessor have registers?"
    ),
    "fast_matmul_busiest": (
        "For each side of C, compute the number of tiles, rounded up, and multiply the two numbers. Divide by the "
        "number of multiprocessors, and round up again: this is the number of tiles of the busiest multiprocessor. "
        "Then count the elements of these tiles."
    ),
}
