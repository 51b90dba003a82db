"""C = A.T @ B.T: C[i][j] = sum over k of A[k][i] * B[j][k]. A is (K, M), B (N, K), C (M, N), float32.
KernelBench, level 1, problem 18."""

import torch
from torch import nn

from course.tasks import ASKS_FOR_ONE_THREAD, ONE_THREAD_PER_ELEMENT, Case, refusals, with_budget

M = 2048
K = 8192
N = 4096


class Model(nn.Module):
    def forward(self, A: torch.Tensor, B: torch.Tensor) -> torch.Tensor:
        return torch.matmul(A.T, B.T)


def operands(M: int, N: int, K: int) -> list[torch.Tensor]:
    """The matrices A and B; tasks in other files that ask for the same product use them, too."""
    return [torch.randn(K, M) * 1.25 + 0.25, torch.randn(N, K) * 0.75 - 0.125]


def get_inputs() -> list[torch.Tensor]:
    return operands(M, N, K)


SIZES = {
    "tiny": {"M": 37, "N": 41, "K": 53},
    "small": {"M": 1024, "N": 1024, "K": 1024},
    "full": {"M": 2048, "N": 4096, "K": 8192},
}

CASES = [
    *(Case({"M": rows, "N": columns, "K": terms}) for rows, columns, terms in (
        (37, 41, 53), (53, 41, 37), (41, 53, 37), (1, 1, 1), (33, 17, 1), (5, 7, 0), (0, 8, 8), (8, 0, 8),
    )),
    # More blocks of 8 rows or columns than a block can have threads
    *(Case({"M": rows, "N": columns, "K": terms}) for rows, columns, terms in (
        (1, 8300, 1), (8300, 1, 1), (64, 64, 64), (15, 17, 16), (17, 16, 15), (31, 33, 32), (65, 31, 33),
        (129, 127, 31), (19, 23, 259), (7, 5, 2111),
    )),
    Case({"M": 20, "N": 30, "K": 3}, values="special"),
]  # fmt: skip

# A longer A would only mean a larger M, so the shape of B is wrong.
REFUSALS = refusals(
    {"M": 20, "N": 30, "K": 12}, "host:0", "host:1", "dtype:0", "dtype:1", "shape:1", "short:1", "transposed", "pitched"
)

NAMED_OPERATIONS = 1_000_000_000  # no mistake is looked for in a larger product; the cases are smaller


def sum_length() -> int:
    return K


def bytes_moved() -> int:
    return 4 * (K * M + N * K + M * N)


def operations() -> int:
    return 2 * M * N * K


def product_operations(A: torch.Tensor, B: torch.Tensor) -> int:
    """Floating-point operations of A.T @ B.T: a multiplication and an addition for each term."""
    return 2 * A.numel() * len(B)


def mistakes(A: torch.Tensor, B: torch.Tensor) -> dict[str, torch.Tensor]:
    (K, M), N = A.shape, len(B)  # not the sizes of this file, because tasks of other files also call this function
    if K == 0 or product_operations(A, B) > NAMED_OPERATIONS:
        return {}
    flat_A, flat_B = A.reshape(M, K), B.reshape(K, N)  # the same elements in the same order, in rows of another length
    k = torch.arange(K, device=A.device)
    right = A.T @ B.T

    def of(kept: torch.Tensor) -> torch.Tensor:
        """The product with these terms only."""
        return A[kept].T @ B[:, kept].T

    return {
        "Both transposes are lost: the kernel reads A[i * K + k] and B[k * N + j], as for A @ B. A is (K, M), so "
        "A[k][i] is A[k * M + i]; B is (N, K), so B[j][k] is B[j * K + k].": (flat_A @ flat_B),
        "The transpose of B is lost: the kernel reads B[k * N + j]. B is (N, K), so B[j][k] is B[j * K + k].": (
            A.T @ flat_B
        ),
        "The transpose of A is lost: the kernel reads A[i * K + k]. A is (K, M), so A[k][i] is A[k * M + i].": (
            flat_A @ B.T
        ),
        "Rows of B were read as if each had N elements; B is (N, K), so B[j][k] is B[j * K + k].": (
            A.T @ _rows_apart(B, N).T
        ),
        "The last term of each sum is missing: the loop over k must go on while k < K.": of(k < K - 1),
        "The first term of each sum is missing: the loop over k must begin at 0.": of(k > 0),
        "Each element is only its last term: each k overwrites the sum instead of adding to it.": of(k == K - 1),
        "The sum is not set to 0 for each column: an element also contains the sums of earlier elements of its row.": (
            right.cumsum(1)
        ),
    }


def _rows_apart(x: torch.Tensor, length: int) -> torch.Tensor:
    """The elements x[row * length + column] as a matrix of x's shape; NaN, which stands for any value, past the end."""
    rows, columns = x.shape
    place = torch.arange(rows, device=x.device)[:, None] * length + torch.arange(columns, device=x.device)
    inside = place < x.numel()
    return torch.where(inside, x.reshape(-1)[torch.where(inside, place, 0)], float("nan"))


def few_sectors(M: int, N: int, K: int) -> Case:
    """A case for kernels whose warps work on 32 neighbours in a column of C.

    For each of K values of k, such a warp requests 4 sectors of A (32 floats) and 1 sector of B. At the end, each lane
    stores into another row of C, in 32 sectors. The budget has twice the 5 sectors for each k, which leaves room for
    rows that begin within a sector, and for blocks of another shape: a warp of 16 rows and 2 columns requests 4, and a
    warp of 4 rows and 8 columns 9. A warp along a row of C requests 1 sector of A and 32 sectors of B for each k, and a
    warp along k 32 sectors of A and 4 sectors of B.
    """
    warps = -(-M // 32) * N
    return Case({"M": M, "N": N, "K": K}, budget={"sectors": warps * (2 * 5 * K + 32)})


def along_rows(M: int, N: int) -> Case:
    """A case for kernels whose warps work on 32 neighbours in a row of C, of which N // 32 fill a row.

    K is 1, so the store is most of what a warp requests: 1 sector of A, 4 of B, and 4 of C, and the budget has twice
    these 9. A warp along a column of C requests 4 sectors of A, 1 of B, and 32 of C.
    """
    return Case({"M": M, "N": N, "K": 1}, budget={"sectors": 2 * 9 * M * N // 32}, asks="x along the rows of C")


# A case for kernels whose warps work on 16 or 32 neighbours in a column of C: for each k, a warp of 16 rows and 2
# columns takes 3 wavefronts of the L1 cache, and one of 32 rows 2. The store takes up to 32. With fewer rows, a warp
# loads more rows of B, whose words are all in one bank, because K is a multiple of 32: 5 wavefronts with 8 rows and 4
# columns. With x along the rows of C, four k of B in one float4 take few sectors, but 9 wavefronts for each k.
ALONG_COLUMNS = Case(
    {"M": 64, "N": 48, "K": 64},
    budget={"l1_wavefronts": 64 // 32 * 48 * (4 * 64 + 32)},
    asks="x along i, with at least 16 threads of a block in x",
)

BY_ELEMENT = [
    # With one thread per row or one thread per column, a thread has 8,300 elements in one of the two cases.
    *with_budget(
        CASES,
        ONE_THREAD_PER_ELEMENT,
        {"M": 1, "N": 8300, "K": 1},
        {"M": 8300, "N": 1, "K": 1},
        asks=ASKS_FOR_ONE_THREAD,
    ),
    # Blocks of 1024 threads along one side leave 7 threads of 8 idle, and one block per element 255 of 256.
    Case({"M": 128, "N": 128, "K": 1}, budget={"idle_threads": 8 * 128 * 128}, asks=ASKS_FOR_ONE_THREAD),
]

VARIANTS = {
    "transposed_matmul_by_element": {
        "__doc__": "The transposed product by one thread per element of C, with neighbouring threads along its rows.",
        "CASES": [*BY_ELEMENT, along_rows(64, 256)],
    },
    "transposed_matmul_1024": {
        "__doc__": "The transposed product at sizes that are small enough for a slow kernel.",
        "SIZES": {"tiny": {"M": 13, "N": 17, "K": 259}, "small": {"M": 1024, "N": 1024, "K": 1024}},
        "CASES": [
            Case({"M": 13, "N": 17, "K": 259}),
            Case({"M": 17, "N": 13, "K": 31}),
            Case({"M": 5, "N": 7, "K": 0}),
            Case({"M": 3, "N": 5, "K": 1031}),
            Case({"M": 4, "N": 6, "K": 2}, values="special"),
        ],
    },
    "transposed_matmul_checked": {
        "__doc__": "The transposed product, with a wrapper that refuses unsuitable inputs.",
        "CASES": [*CASES, *REFUSALS],
    },
    "transposed_matmul_few_sectors": {
        "__doc__": "The transposed product by one thread per element of C, also judged by the sectors it requests.",
        "CASES": [*BY_ELEMENT, few_sectors(64, 48, 40), few_sectors(68, 33, 51), ALONG_COLUMNS],
    },
}
