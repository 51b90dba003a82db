"""Element-wise kernels of the solutions beside PyTorch's and a copy of the same bytes: how much faster they could be.

`python -m tests.benchmarks.limits [FILE.json]`, on a GPU with nvcc, in a minute and a half. Each round draws new
inputs. Each output of a timed call is compared with PyTorch's output for the same inputs, then filled with NaN. The
cache is flushed before each call. At a tenth of the size, many launches are timed together, each on inputs of its own.
To find what suits this GPU, one more kernel is timed with several numbers of threads per block and of float4 in flight.

Prints the median times, and the median and the middle half of the rounds' ratios, below the bounds that the solutions
should meet; the file has all values. The exit status is 1 if an output was wrong, but not if a ratio misses its bound.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from itertools import product
from pathlib import Path

import torch

from course.build import Module, bindable_functions, load_inline
from course.device import this_gpu
from course.measure import summary, time_interleaved
from tests.benchmarks.kernels import source

SHAPES = list(product((128, 256), (1, 2, 4)))  # threads per block, float4 in flight per thread
ROUNDS = 30
LEAST_BATCH = 4  # launches that are timed together, if even so few need more than the cache holds
TOLERANCE = 1e-6  # relative, for two or three roundings of float32
S = -1.25  # the scalar

CUDA = """
#include <ATen/cuda/CUDAContext.h>
#include <torch/extension.h>

struct Rows {
    __device__ static float of(float a, float b, float) { return a * b; }
};
struct Scalar {
    __device__ static float of(float, float b, float s) { return b * s; }
};
struct Relu {
    __device__ static float of(float, float b, float) { return b < 0.0f ? 0.0f : b; }
};
struct Fused {
    __device__ static float of(float a, float b, float s) { return Relu::of(0.0f, a * s * b, 0.0f); }
};

// A block has a piece of one row: kLoads * kThreads float4.
template <typename Op, int kThreads, int kLoads>
__global__ void __launch_bounds__(kThreads)
    rows_kernel(const float* __restrict__ A, const float4* __restrict__ B, float s, float4* __restrict__ C,
                int fours, int pieces) {
    const int row = blockIdx.x / pieces;
    const int first = (blockIdx.x - row * pieces) * kLoads * kThreads + threadIdx.x;
    const int64_t start = static_cast<int64_t>(row) * fours;
    float4 b[kLoads];
#pragma unroll
    for (int k = 0; k < kLoads; ++k) {
        if (first + k * kThreads < fours) {
            b[k] = B[start + first + k * kThreads];
        }
    }
    const float a = A[row];
#pragma unroll
    for (int k = 0; k < kLoads; ++k) {
        if (first + k * kThreads < fours) {
            C[start + first + k * kThreads] = make_float4(Op::of(a, b[k].x, s), Op::of(a, b[k].y, s),
                                                          Op::of(a, b[k].z, s), Op::of(a, b[k].w, s));
        }
    }
}

template <typename Op, int kThreads, int kLoads>
torch::Tensor rows(torch::Tensor A, torch::Tensor B, double s) {
    TORCH_CHECK(B.size(1) % 4 == 0, "rows must be of whole float4");
    torch::Tensor C = torch::empty_like(B);
    const int fours = B.size(1) / 4;
    const int pieces = (fours + kLoads * kThreads - 1) / (kLoads * kThreads);
    rows_kernel<Op, kThreads, kLoads><<<B.size(0) * pieces, kThreads, 0, at::cuda::getCurrentCUDAStream()>>>(
        A.data_ptr<float>(), reinterpret_cast<const float4*>(B.data_ptr<float>()), static_cast<float>(s),
        reinterpret_cast<float4*>(C.data_ptr<float>()), fours, pieces);
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return C;
}
"""

Call = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]  # of A (M,) and B (M, N), float32


@dataclass(frozen=True)
class Asked:
    """A limit of a kernel's time against a baseline: at least `bound` times as fast or, with `slower`, at most `bound`
    times as long. Without a bound the ratio is only reported."""

    baseline: str
    bound: float | None = None
    slower: bool = False

    def ratios(self, kernel: list[float], baseline: list[float]) -> list[float]:
        """The ratio of the two times of each round."""
        return [k / b if self.slower else b / k for k, b in zip(kernel, baseline, strict=True)]

    def __str__(self) -> str:
        sign = "<=" if self.slower else ">="
        bound = "" if self.bound is None else f" {sign} {self.bound:g}"
        return f"{'time' if self.slower else 'speed'} over {self.baseline}{bound}"


@dataclass(frozen=True)
class Work:
    """One operation at one size, and its calls by name. The first call is a copy, the second the reference.

    If `batched`, many launches are timed together.
    """

    name: str
    M: int
    N: int
    calls: dict[str, Call]
    asked: tuple[Asked, ...]
    batched: bool = False

    def __str__(self) -> str:
        return f"{self.name}, {self.M} x {self.N}{', batched' * self.batched}"


def copied(A: torch.Tensor, B: torch.Tensor) -> torch.Tensor:
    return torch.empty_like(B).copy_(B)


def by_diag(A: torch.Tensor, B: torch.Tensor) -> torch.Tensor:
    return torch.diag(A) @ B


def broadcasting(A: torch.Tensor, B: torch.Tensor) -> torch.Tensor:
    return A[:, None] * B


def scaled(A: torch.Tensor, B: torch.Tensor) -> torch.Tensor:
    return B * S


def relu(A: torch.Tensor, B: torch.Tensor) -> torch.Tensor:
    return torch.relu(B)


def three_kernels(A: torch.Tensor, B: torch.Tensor) -> torch.Tensor:
    return torch.relu(A[:, None] * B * S)


def two_kernels(A: torch.Tensor, B: torch.Tensor) -> torch.Tensor:
    return torch.relu((A * S)[:, None] * B)


def solution(notebook: str, cell_id: str, toolchain: str) -> Module:
    """The module of a `%%cuda` cell of the solutions."""
    text = source(notebook, cell_id)
    return load_inline("solution", cuda_sources=text, functions=bindable_functions(text), toolchain=toolchain)


def shapes(op: str, toolchain: str) -> dict[str, Call]:
    """The kernel above with each of its shapes, by name."""
    wrappers = "".join(
        f"torch::Tensor t{threads}_l{loads}(torch::Tensor A, torch::Tensor B) {{\n"
        f"    return rows<{op}, {threads}, {loads}>(A, B, {S});\n}}\n"
        for threads, loads in SHAPES
    )
    functions = [f"t{threads}_l{loads}" for threads, loads in SHAPES]
    module = load_inline("shapes", cuda_sources=CUDA + wrappers, functions=functions, toolchain=toolchain)
    names = (f"{threads} threads, {loads} float4" for threads, loads in SHAPES)
    return {name: getattr(module, function) for name, function in zip(names, functions, strict=True)}


def works(toolchain: str = "nvcc") -> list[Work]:
    """The operations at KernelBench's sizes and, batched, at a tenth of these; also three operations in one."""
    rows = solution("05-float4-relu", "05-rows", toolchain)
    loads = solution("02-scalar-multiply", "02-loads", toolchain)
    one = solution("05-float4-relu", "05-float4", toolchain)
    fused = solution("08-model-new", "08-fused", toolchain)
    copy: dict[str, Call] = {"copy": copied}
    fast = Asked("copy", 0.99)

    scaling = copy | {"broadcasting": broadcasting, "05 05-rows": rows.scale_rows} | shapes("Rows", toolchain)
    multiply = {"B * s": scaled, "02 02-loads, 4 loads": lambda A, B: loads.scale_4(B, S)} | shapes("Scalar", toolchain)
    relus = {
        "torch.relu": relu,
        "05 05-float4": lambda A, B: one.relu_forward(B),
    } | shapes("Relu", toolchain)
    three_in_one = {
        "relu(A[:, None] * B * s)": three_kernels,
        "relu((A * s)[:, None] * B)": two_kernels,
        "torch.compile": torch.compile(three_kernels),
        "08 08-fused": lambda A, B: fused.scaled_relu(A, B, S),
    } | shapes("Fused", toolchain)

    diag = "diag(A) @ B"
    full = [
        Work("row scaling", 4096, 4096, scaling, (fast, Asked("broadcasting", 1.4))),
        Work("scalar multiply", 65536, 16384, copy | multiply, (fast, Asked("B * s", 1.01, slower=True))),
        Work("relu", 4096, 393216, copy | relus, (fast, Asked("torch.relu", 1.01, slower=True))),
    ]
    tenths = [replace(work, M=-(-work.M // 10), batched=True) for work in full]
    full[0] = replace(full[0], calls=scaling | {diag: by_diag}, asked=(*full[0].asked, Asked(diag, 70)))
    asked_of_fused = (
        Asked("relu(A[:, None] * B * s)", 2.5),
        Asked("torch.compile", 1.02, slower=True),
        Asked("relu((A * s)[:, None] * B)"),
        Asked("copy"),
    )
    return [*full, Work("relu(diag(A) @ B * s)", 4096, 4096, copy | three_in_one, asked_of_fused), *tenths]


def wrong_elements(C: torch.Tensor, expected: torch.Tensor) -> torch.Tensor:
    """How many elements of `C` are wrong. Then fills `C` with NaN, so that no later call finds right values in it."""
    right = C.sub_(expected).abs_() <= expected.abs().mul_(TOLERANCE)
    C.fill_(float("nan"))
    return right.logical_not_().sum()


def in_one_graph(call: Call, inputs: list[tuple[torch.Tensor, torch.Tensor]]) -> Callable[[], list[torch.Tensor]]:
    """A launch of `call` on each of `inputs` as one CUDA graph, which the host starts at once."""
    call(*inputs[0])  # the first call may load or compile code, which a graph cannot record
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        outputs = [call(A, B) for A, B in inputs]

    def replayed() -> list[torch.Tensor]:
        graph.replay()
        return outputs

    return replayed


def measure(work: Work) -> dict:
    """Prints and returns what was found: microseconds per launch by name, ratios, and numbers of wrong elements."""
    launches = 1
    if work.batched:  # inputs and outputs of all launches together are eight times the size of the cache
        launches = max(LEAST_BATCH, this_gpu().l2 // (work.M * work.N))
    inputs = [(torch.empty(work.M, device="cuda"), torch.empty(work.M, work.N, device="cuda")) for _ in range(launches)]
    _, reference = list(work.calls.values())[:2]
    expected: dict[str, list[torch.Tensor]] = {}
    wrong = {name: torch.zeros((), dtype=torch.int64, device="cuda") for name in work.calls}

    def draw() -> None:
        for A, B in inputs:
            A.normal_()
            B.normal_()
        expected["copy"] = [B for _, B in inputs]
        expected["others"] = [reference(A, B) for A, B in inputs]

    def compare(name: str, outputs: list[torch.Tensor]) -> None:
        of_name = expected.get(name, expected["others"])
        for C, right in zip(outputs, of_name, strict=True):
            wrong[name] += wrong_elements(C, right)

    draw()
    calls = {
        name: in_one_graph(call, inputs) if work.batched else lambda call=call: [call(*inputs[0])]
        for name, call in work.calls.items()
    }
    samples = time_interleaved(calls, ROUNDS, before_round=draw, after_call=compare)
    times = {name: [1e3 * ms / launches for ms in of_name] for name, of_name in samples.items()}
    found = {
        "work": work.name, "M": work.M, "N": work.N, "launches": launches, "rounds": len(times["copy"]),
        "wrong": {name: int(count) for name, count in wrong.items()},
        "us": {name: quartiles(of_name) for name, of_name in times.items()},
        "asked": [asdict(asked) for asked in work.asked],
        "ratios": {
            name: [quartiles(asked.ratios(of_name, times[asked.baseline])) for asked in work.asked]
            for name, of_name in times.items()
        },
    }  # fmt: skip
    print(table(work, found), flush=True)
    return found


def table(work: Work, found: dict) -> str:
    """A row for each call, with its ratios below their bounds; wrong calls are marked."""
    heads = ["", "us a launch", *map(str, work.asked)]
    rows = [
        [name, shown(found["us"][name], 2), *map(shown, found["ratios"][name])]
        + [f"WRONG: {found['wrong'][name]} elements"] * bool(found["wrong"][name])
        for name in work.calls
    ]
    widths = [max(map(len, column)) for column in zip(heads, *(row[: len(heads)] for row in rows), strict=True)]
    lines = ["  ".join(map(str.ljust, row, [*widths, 0])).rstrip() for row in (heads, *rows)]
    return "\n".join(["", f"{work}: {found['rounds']} rounds of {found['launches']} launches", *lines])


def quartiles(values: list[float]) -> tuple[float, float, float]:
    """The median, and the first and third quartile."""
    found = summary(values)
    return found.median_ms, *found.iqr_ms


def shown(found: tuple[float, float, float], digits: int = 3) -> str:
    median, low, high = (f"{value:.{digits}f}" for value in found)
    return f"{median} ({low} to {high})"


def main() -> int:
    """Measure each work, and write the file after each one, in case the next one ends the process."""
    torch.seed()
    results = []
    with torch.no_grad():
        for work in works():
            results.append(measure(work))
            torch.cuda.empty_cache()
            if sys.argv[1:]:
                whole = {"device": torch.cuda.get_device_name(), "torch": torch.__version__, "results": results}
                Path(sys.argv[1]).write_text(json.dumps(whole, indent=1) + "\n")
    return int(any(count for found in results for count in found["wrong"].values()))


if __name__ == "__main__":
    sys.exit(main())
