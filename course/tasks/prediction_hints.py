"""The hint of each prediction, which `check` shows after two wrong tries."""

HINTS = {
    "first_kernel_blocks": (
        "Divide the elements by the threads of a block, and round up: the last block may be partly idle."
    ),
    "first_kernel_clinic": (
        "For N = 10 and N = 12 and blocks of 4, list which element each thread writes. For patient 3, ask the same at "
        "N = 100: how many blocks are there? A block that has no element does no harm, since the guard stops it."
    ),
    "row_scaling_sectors": (
        "Compare the bytes between the addresses of two neighbouring lanes, a whole row of B, with the bytes of a "
        "sector: can two lanes share one?"
    ),
    "row_scaling_least_time": (
        "Add up the elements that are read and written. Multiply by 4 bytes, divide by the bytes per second, and "
        "multiply by a million for microseconds. int(...) rounds down."
    ),
    "row_scaling_backward_passes": (
        "For each operation or kernel, list the matrices that it reads, and those that it writes. What one operation "
        "of PyTorch passes to the next is a matrix that is written and read."
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
        "Compute the operations (two for each multiply-add) over operations per second, and the bytes of A, B and C "
        "over bytes per second. Both happen at the same time, so the longer time decides."
    ),
    "transposed_matmul_sectors_j": (
        "For each request, how far apart are the addresses of neighbouring lanes: not at all, one float, or a whole "
        "row? A sector is fetched once, even if several lanes need data in it."
    ),
    "tiled_matmul_traffic": (
        "For the naive kernel, multiply the threads, the steps of k, two floats, and 4 bytes. With tiles, each thread "
        "still loads two floats in a step. How many values of k does a step have?"
    ),
    "tiled_matmul_wavefronts": (
        "For each of the 32 threads, write down its word modulo 32, which is the bank. The number of wavefronts is the "
        "largest number of different words in one bank. The same word counts once."
    ),
    "relu_start_time": (
        "Divide the elements by the threads of a block, then by the blocks that start in a second. That gives seconds."
    ),
    "scaled_relu_passes": (
        "Each operation on a matrix reads one matrix and writes one. Which operations use a matrix, and "
        "which use only a vector and a number?"
    ),
    "softmax_passes": (
        "Each call, or loop over the row in memory, reads the matrix once. Then count those that also write a "
        "matrix, rather than a column."
    ),
    "linear_relu_costs": (
        "The product has 2 * M * N * K operations, and a pass has 4 * M * N bytes. Divide operations by operations "
        "per second, and bytes by bytes per second. Multiply by 1000 for milliseconds. Each operation after the "
        "product reads a matrix and writes one."
    ),
    "fast_matmul_wavefronts": (
        "The first 16 words are in banks 0 to 15. The other 16 words begin at word 4 * row. Take this number modulo "
        "32, and count which of the banks 0 to 15 these words use, too."
    ),
    "fast_matmul_resident": (
        "A block needs its threads times the registers of a thread. How many such blocks fit into the registers of a "
        "multiprocessor?"
    ),
    "fast_matmul_busiest": (
        "Round up the tiles along each side of C, and multiply them. Divide by the multiprocessors and round up "
        "again. That is the number of tiles of the busiest multiprocessor. Then count their elements."
    ),
}
