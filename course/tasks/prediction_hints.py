"""The hint of each prediction, which `check` shows after two wrong tries."""

HINTS = {
    "first_kernel_blocks": (
        "Divide the elements by the threads of a block, and round up: the last block may be partly idle."
    ),
    "first_kernel_clinic": (
        "For N = 10 and N = 12 and blocks of 4, list which element each thread writes. For patient 3, ask the same at "
        "N = 100: how many blocks are there? A block that has no element does no harm behind the guard."
    ),
    "row_scaling_sectors": (
        "Compare the bytes between the addresses of two neighbouring lanes, a whole row of B, with the bytes of a "
        "sector: can two lanes share one?"
    ),
    "row_scaling_least_time": (
        "Add up the elements that are read and written, times 4 bytes, divided by the bytes per second, times a "
        "million microseconds. int(...) rounds down."
    ),
    "row_scaling_backward_passes": (
        "For each operation or kernel, list the matrices that it reads, and those that it writes. What one operation "
        "of PyTorch passes to the next is a matrix that is written and read."
    ),
    "scalar_multiply_resident": (
        "Threads are blocks times threads per block. Which is reached first as blocks are added, the limit of blocks "
        "or the limit of threads?"
    ),
    "scalar_multiply_in_flight": (
        "Divide the bytes that all threads together have in flight by the bytes that are needed, times 100, rounded "
        "down."
    ),
    "scalar_multiply_copy_bytes": (
        "Count whole matrices, those that the copy reads and writes, then those that the kernel reads and writes. A "
        "matrix has 4 bytes per element."
    ),
    "transposed_matmul_least_time": (
        "Compute the operations (two for each multiply-add) over operations per second, and the bytes of A, B and C "
        "over bytes per second. Both go on at the same time, so the longer one decides."
    ),
    "transposed_matmul_sectors_j": (
        "For each request, how far is the address of one lane from that of the next: not at all, one float, or a "
        "whole row? A sector is fetched once for all lanes that want something in it."
    ),
    "tiled_matmul_traffic": (
        "Naive: threads, times steps of k, times two floats, times 4 bytes. With tiles, each thread still loads two "
        "floats at a time: how many values of k does it get for them?"
    ),
    "tiled_matmul_wavefronts": (
        "Write down the word of each of the 32 threads, modulo 32. That is its bank. The wavefronts are the most "
        "different words in one bank; the same word counts once."
    ),
    "relu_start_time": (
        "Divide the elements by the threads of a block, then by the blocks that start in a second. That is in seconds."
    ),
    "scaled_relu_passes": (
        "Each operation on a matrix reads one and writes one. Which operations are on a matrix, and which are on a "
        "vector and a number?"
    ),
    "softmax_passes": (
        "Each call, or loop over the row in memory, reads the matrix once. Then count which of them write a matrix, "
        "too, rather than a column."
    ),
    "linear_relu_costs": (
        "The product has 2 * M * N * K operations, and a pass has 4 * M * N bytes. Divide by operations, or bytes, "
        "per second, and multiply by 1000 for milliseconds. Each operation after the product reads and writes."
    ),
    "fast_matmul_wavefronts": (
        "The first 16 words are in banks 0 to 15. The others begin at word 4 * row: take it modulo 32, and see how "
        "many of the first 16 banks the 16 words from there on meet."
    ),
    "fast_matmul_resident": (
        "A block needs its threads times the registers of a thread. How many times does that fit into the "
        "registers of a multiprocessor?"
    ),
    "fast_matmul_busiest": (
        "Round up the tiles along each side of C, and multiply them. Divide by the multiprocessors and round up "
        "again. Those are the tiles of the busiest one, and each has as many elements as a tile."
    ),
}
