"""C = A * s: a matrix, float32, times a number s. KernelBench, level 1, problem 5, whose s is always 3.14."""

import torch
from torch import nn

from course.tasks import STORED_ONCE, Case, refusals, with_budget

M = 65536
N = 16384
EXPONENT = 0  # s is of the order of 10 ** EXPONENT, and A of 10 ** -EXPONENT, so their product C is of the order of 1


class Model(nn.Module):
    def forward(self, A: torch.Tensor, s: float) -> torch.Tensor:
        return A * s


def get_inputs() -> list:
    # A double with all its bits, of either sign, with an absolute value between 1 and 4.
    u = (torch.rand((), dtype=torch.float64, device="cpu") * 2 - 1).item()
    s = (3 * u + (1 if u >= 0 else -1)) * 10.0**EXPONENT
    return [(torch.randn(M, N) * 1.5 + 0.25) * 10.0**-EXPONENT, s]


SIZES = {
    "tiny": {"M": 37, "N": 53},
    "small": {"M": 16384, "N": 4096},
    "full": {"M": 65536, "N": 16384},
}

CASES = [
    *(Case({"M": rows, "N": columns}) for rows, columns in (
        (0, 8), (8, 0), (1, 1), (1, 255), (257, 1), (64, 64), (37, 53), (127, 129),
    )),
    Case({"M": 601, "N": 701}),  # more elements than an H200 has threads at a time
    Case({"M": 20, "N": 30}, values="special"),
]  # fmt: skip

REFUSALS = refusals({"M": 20, "N": 30}, "host:0", "dtype:0")


def sum_length() -> int:
    return 1


def bytes_moved() -> int:
    return 2 * 4 * M * N


def operations() -> int:
    return M * N


def mistakes(A: torch.Tensor, s: float) -> dict[str, torch.Tensor]:
    exact = torch.tensor(s, dtype=torch.float64)
    as_half, as_float = exact.half().item(), exact.float().item()
    rows, columns = A.shape
    by_type = {
        "A was multiplied by 3.14, whatever s is: use the scalar that is given.": A * 3.14,
        "s was cut to an integer on its way to the kernel; it must arrive as a floating-point number.": A * int(s),
        "The result is A + s: added instead of multiplied.": A + s,
        "s was rounded to half, whose largest number is 65504, before it was used: keep s a float.": A * as_half,
        "s was rounded to float on its way to the kernel, and A is double: pass s as a double.": A * as_float,
        "A is double, and its memory was read as float: use the type that the tensor has.": (_read_as_float(A, s)),
    }
    if A.is_contiguous():
        return by_type
    for side in (16, 32):
        if rows % side == columns % side == 0:
            tiles = A.reshape(rows // side, side, columns // side, side)
            by_type[
                f"In each {side} x {side} tile, rows and columns are exchanged: take a column of the tile where a row "
                "was stored."
            ] = tiles.transpose(1, 3).reshape(rows, columns) * s
    # One side uses the order of the memory, and the other side does not.
    return by_type | {
        "A was read in the order of its memory, but A is not contiguous: element e of its memory is not element e of "
        "A.": A.mT.reshape(rows, columns) * s,
        "The kernel read a contiguous copy of A and wrote a C with the strides of A: make C like the copy.": (
            A.reshape(columns, rows).mT * s
        ),
    }


def _read_as_float(A: torch.Tensor, s: float) -> torch.Tensor:
    """What a kernel stores if A is double and the kernel reads it as floats; NaN where it stores nothing."""
    memory = A.double().flatten().clone()  # a copy: a view may start where a float cannot
    C = torch.full_like(memory, float("nan"))
    half = len(memory) // 2  # as many floats as A has elements fill half of its memory
    C[:half] = (memory[:half].view(torch.float32) * s).view(torch.float64)
    return C.view(A.shape)


_contiguous_inputs = get_inputs  # `get_inputs` itself is another function in a variant


def _transposed_inputs() -> list:
    A, s = _contiguous_inputs()
    return [A.mT.contiguous().mT, s]


def _bfloat16_inputs() -> list:
    A, s = _contiguous_inputs()
    return [A.bfloat16(), s]


class _Turned(Model):
    def forward(self, A: torch.Tensor, s: float) -> torch.Tensor:
        return (A * s).contiguous()


ASKS_FOR_SEVERAL = "several elements per thread"


def few_threads(M: int, N: int) -> dict[str, int]:
    """A budget for threads that have several elements each: 3 threads for 8 elements, all but a block of them at work.

    A thread of an honest kernel has four elements or more, and its last block may be partly idle.
    """
    return {"threads": 3 * M * N // 8, "idle_threads": 1024}


def few_sectors(M: int, N: int) -> Case:
    """A case whose budget is 1.5 times the least number of sectors.

    At the least, each element of A and of C is requested once: each matrix has M * N / 8 sectors, rounded up. Warps
    need no more than that if their lanes always request 32 neighbours. The budget leaves room for blocks whose size is
    not a multiple of a warp. If each thread handles four neighbours in turn, each sector is requested four times.
    """
    least = 2 * -(-M * N // 8)
    return Case({"M": M, "N": N}, budget={"sectors": 3 * least // 2})


def by_16_bytes(M: int, N: int, dtype: str) -> Case:
    """A case whose budget is 1.5 times the least requests and sectors, which 16 bytes per thread need.

    It leaves room for a tail and for blocks of any size. Half of the bytes per thread need twice the requests, and
    neighbouring threads whose vectors are two vectors apart twice the sectors.
    """
    size = getattr(torch, dtype).itemsize
    requests = 2 * M * N * size // 512  # of 32 lanes with 16 bytes each
    return Case({"M": M, "N": N}, dtype=dtype, budget={"requests": 3 * requests // 2, "sectors": 24 * requests})


def view(M: int, N: int, dtype: str, layout: str = "offset") -> Case:
    """A case of a view, with 1.5 times the least sectors: a copy of it that a kernel makes first doubles them."""
    least = 2 * M * N * getattr(torch, dtype).itemsize // 32
    return Case({"M": M, "N": N}, layout=layout, dtype=dtype, budget={"sectors_touched": 3 * least // 2})


def turned(M: int, N: int, *counts: str) -> Case:
    """A case for a tile of even sides: at most twice the least of `counts`, "sectors" or "wavefronts".

    A warp has 4 sectors in each matrix, and a wavefront for its store into the tile and for its load. Tiles of 16 x 16
    take two wavefronts for each, also if padded. Without padding, a load from a tile of 32 x 32 takes 32. With a warp
    along a row of one matrix only, the other takes 32 sectors.
    """
    least = {"sectors": 2 * M * N // 8, "wavefronts": 2 * M * N // 32}
    return Case({"M": M, "N": N}, layout="transposed", budget={name: 2 * least[name] for name in counts})


TYPES = ("float16", "bfloat16", "float32", "float64")
# More elements than a block of 1024 threads with 64 each: 8 vectors of 8 halves, or 16 of float.
MANY_THREADS = Case({"M": 331, "N": 211}, dtype="bfloat16", budget={"elements_per_thread": 65}, asks="many threads")
IN_ORDER = "neighbouring threads at neighbouring places in the memory of A and of C"

VARIANTS = {
    # The next three variants differ only in their names, under which the records of times are kept.
    "scalar_multiply_sweep": {
        "__doc__": "Scalar multiply, for the sweep of block sizes.",
    },
    "scalar_multiply_loads": {
        "__doc__": "Scalar multiply, for the sweep of loads per thread.",
    },
    "scalar_multiply_rounds": {
        "__doc__": "Scalar multiply, for the sweep of the rounds that a grid-stride loop makes at once.",
    },
    "scalar_multiply_by_stride": {
        "__doc__": "Scalar multiply by a grid-stride loop.",
        # If a loop steps by 1 instead of the number of threads in the grid, every thread stores the last element.
        "CASES": [
            *with_budget(CASES, STORED_ONCE, {"M": 37, "N": 53}),
            Case({"M": 181, "N": 193}),  # 137 blocks of 256 threads, more than an int8_t counts
            # The next two cases have more elements than the 132 * 2048 threads that an H200 holds. The grid must
            # have no more threads, and no fewer than an eighth of the elements.
            Case(
                {"M": 520, "N": 521},
                budget={"threads": 132 * 2048, "elements_per_thread": 8},
                asks="as many blocks as the elements need, up to the 270,336 threads that the GPU holds at a time, and "
                "a loop in each thread",
            ),
            # If each thread handles a run of neighbours, their sectors are requested several times.
            few_sectors(601, 701),
        ],
    },
    "scalar_multiply_several": {
        "__doc__": "Scalar multiply by threads that have several elements each.",
        "CASES": with_budget(CASES, few_threads(127, 129), {"M": 127, "N": 129}, asks=ASKS_FOR_SEVERAL),
    },
    "scalar_multiply_few_sectors": {
        "__doc__": "Scalar multiply, also judged by the sectors of global memory that it requests.",
        "CASES": [few_sectors(64, 256), few_sectors(127, 129)],
    },
    "scalar_multiply_bfloat16": {
        "__doc__": "Scalar multiply of bfloat16; reads 2 GiB and writes 2 GiB.",
        "get_inputs": _bfloat16_inputs,
        "bytes_moved": lambda: 2 * 2 * M * N,
        "CASES": [Case({"M": 37, "N": 53})],
    },
    "scalar_multiply_layouts": {
        "__doc__": "Scalar multiply of a matrix with any strides, with a wrapper that refuses all other inputs.",
        "CASES": [
            *CASES,
            # No matrix is square: reading in the wrong order and storing in the wrong order would look the same.
            # Without a copy, A is read once and C is written once, each in 246 sectors of 8 floats. A copy by a kernel
            # doubles the sectors, so the budget is 1.5 times the least. A copy by PyTorch is refused, because its
            # requests are not counted.
            Case({"M": 37, "N": 53}, layout="transposed", budget={"sectors_touched": 3 * 2 * 246 // 2}),
            # A warp whose lanes step along the wrong dimension requests 32 sectors, and not 4. The budget is twice the
            # least, so that a block may transpose a tile in shared memory, with rows that end within a sector.
            Case({"M": 64, "N": 96}, layout="transposed", budget={"sectors": 2 * 2 * 768}, asks=IN_ORDER),
            Case({"M": 31, "N": 33}, layout="offset"),
            Case({"M": 36, "N": 52}, layout="pitched"),
            *REFUSALS,
        ],
    },
    "scalar_multiply_transposed": {
        "__doc__": "Scalar multiply of a matrix that is transposed in memory: A is .mT of a contiguous matrix.",
        "get_inputs": _transposed_inputs,
    },
    "scalar_multiply_types": {
        "__doc__": "Scalar multiply of four types; the scalar is rounded no more than PyTorch rounds it.",
        "CASES": [
            Case({"M": 0, "N": 8}, dtype="float16"),
            *(Case({"M": 37, "N": 53}, dtype=dtype) for dtype in TYPES),
            Case({"M": 31, "N": 33, "EXPONENT": 5}, dtype="float16"),
            Case({"M": 20, "N": 30}, dtype="bfloat16", values="special"),
            Case({"M": 20, "N": 30}, dtype="int32", expect="error"),
            *REFUSALS[:1],
        ],
    },
    "scalar_multiply_vectors": {
        "__doc__": "Scalar multiply of four types and any address, by 16 bytes per thread where they are aligned.",
        "CASES": [
            *(by_16_bytes(64, 64, dtype) for dtype in TYPES),
            *(Case({"M": M, "N": N}, dtype=dtype) for M, N in ((31, 33), (11, 373)) for dtype in TYPES),
            *(Case({"M": 1, "N": 1}, dtype=dtype) for dtype in TYPES),
            *(view(36, 52, dtype) for dtype in TYPES),
            view(36, 52, "bfloat16", "offset:2"),
            Case({"M": 31, "N": 33, "EXPONENT": 5}, dtype="float16"),
            Case({"M": 0, "N": 8}, dtype="bfloat16"),
            MANY_THREADS,
        ],
    },
    # No dimension is 0 or 1: its stride would be of no use, so nothing could say whether it is right.
    "scalar_multiply_turned": {
        "__doc__": "Scalar multiply of a matrix that is transposed in memory; the result is contiguous.",
        "Model": _Turned,
        "STRIDES_MATTER": True,
        "get_inputs": _transposed_inputs,
        "CASES": [
            Case({"M": 2, "N": 3}, layout="transposed"),
            Case({"M": 37, "N": 53}, layout="transposed"),
            Case({"M": 129, "N": 31}, layout="transposed"),
            turned(64, 96, "sectors"),
            Case({"M": 20, "N": 30}, layout="transposed", values="special"),
        ],
    },
    "scalar_multiply_turned_padded": {
        "__doc__": "Scalar multiply of a matrix that is transposed in memory, by a tile without bank conflicts.",
        "Model": _Turned,
        "STRIDES_MATTER": True,
        "get_inputs": _transposed_inputs,
        "CASES": [turned(64, 96, "sectors", "wavefronts"), Case({"M": 37, "N": 53}, layout="transposed")],
    },
}
