"""Which block size and how many float4 in flight suit this GPU: row scaling in every shape, beside a copy and PyTorch.

`python -m tests.benchmarks.sweep` takes a minute on a GPU. What suits one device need not suit another: the kernels of
`solutions/06-model-new` have 128 threads a block and two float4 in flight.
"""

from __future__ import annotations

import sys
from functools import partial
from itertools import product

import torch

from course.build import load_inline
from course.measure import copy_ms, summary, time_interleaved

SIZES = ((4096, 4096), (16384, 16384), (4096, 1024))
SHAPES = list(product((128, 256, 512), (1, 2, 4, 8), ("", "cs")))  # threads, float4 in flight, hint
ROUNDS = 40

CUDA = """
#include <ATen/cuda/CUDAContext.h>
#include <torch/extension.h>

template <bool kStreaming>
__device__ float4 load(const float4* p) {
    return kStreaming ? __ldcs(p) : *p;
}

template <bool kStreaming>
__device__ void store(float4* p, float4 x) {
    if (kStreaming) {
        __stcs(p, x);
    } else {
        *p = x;
    }
}

// A block has a piece of one row: kLoads * kThreads float4.
template <int kThreads, int kLoads, bool kStreaming>
__global__ void __launch_bounds__(kThreads) scale_rows(const float* __restrict__ A, const float4* __restrict__ B,
                                                       float4* __restrict__ C, int fours, int pieces) {
    const int row = blockIdx.x / pieces;
    const int first = (blockIdx.x - row * pieces) * kLoads * kThreads + threadIdx.x;
    const int64_t start = static_cast<int64_t>(row) * fours;
    float4 b[kLoads];
#pragma unroll
    for (int k = 0; k < kLoads; ++k) {
        if (first + k * kThreads < fours) {
            b[k] = load<kStreaming>(B + start + first + k * kThreads);
        }
    }
    const float a = A[row];
#pragma unroll
    for (int k = 0; k < kLoads; ++k) {
        if (first + k * kThreads < fours) {
            store<kStreaming>(C + start + first + k * kThreads,
                              make_float4(a * b[k].x, a * b[k].y, a * b[k].z, a * b[k].w));
        }
    }
}

template <int kThreads, int kLoads, bool kStreaming>
torch::Tensor scaled(torch::Tensor A, torch::Tensor B) {
    torch::Tensor C = torch::empty_like(B);
    const int fours = B.size(1) / 4;
    const int pieces = (fours + kLoads * kThreads - 1) / (kLoads * kThreads);
    scale_rows<kThreads, kLoads, kStreaming>
        <<<B.size(0) * pieces, kThreads, 0, at::cuda::getCurrentCUDAStream()>>>(
            A.data_ptr<float>(), reinterpret_cast<const float4*>(B.data_ptr<float>()),
            reinterpret_cast<float4*>(C.data_ptr<float>()), fours, pieces);
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return C;
}
"""


def name(threads: int, loads: int, hint: str) -> str:
    return f"t{threads}_l{loads}{hint}"


def main() -> int:
    """Print each shape's median and quartiles, the fastest first. Returns 1 where a shape's values are wrong."""
    wrappers = "".join(
        f"torch::Tensor {name(*shape)}(torch::Tensor A, torch::Tensor B) {{\n"
        f"    return scaled<{shape[0]}, {shape[1]}, {str(bool(shape[2])).lower()}>(A, B);\n}}\n"
        for shape in SHAPES
    )
    module = load_inline("sweep", cuda_sources=CUDA + wrappers, functions=[name(*shape) for shape in SHAPES])
    wrong = 0
    for M, N in SIZES:
        A, B = torch.randn(M, device="cuda"), torch.randn(M, N, device="cuda")
        expected = A[:, None] * B
        calls = {"broadcasting": partial(torch.mul, A[:, None], B), "copy": B.clone}
        for shape in SHAPES:
            function = getattr(module, name(*shape))
            if torch.equal(function(A, B), expected):
                calls[name(*shape)] = partial(function, A, B)
            else:
                print(f"{name(*shape)}: wrong values at {M} x {N}")
                wrong = 1
        found = {each: summary(times) for each, times in time_interleaved(calls, ROUNDS).items()}
        roof = copy_ms(8 * M * N)
        print(f"\n{M} x {N}: a copy into a tensor that is there takes {1e3 * roof:.1f} us")
        for each, times in sorted(found.items(), key=lambda item: item[1].median_ms):
            low, high = times.iqr_ms
            print(
                f"  {each:14} {1e3 * times.median_ms:8.1f} us ({1e3 * low:.1f} to {1e3 * high:.1f}),"
                f" {roof / times.median_ms:.0%} of the copy"
            )
    return wrong


if __name__ == "__main__":
    sys.exit(main())
