"""What nvcc builds and the emulator does not support."""

from __future__ import annotations

from collections.abc import Iterator
from fnmatch import fnmatchcase

from course.text.cuda import CudaText
from course.toolchains.emulator.nvcc_rules import Refusal

# A feature, what to use in its place, and the names and headers (`<...>`) by which it is recognised.
_NOT_EMULATED = (
    ("inline PTX", "write it in CUDA C++", "asm", "__asm__"),
    (
        "barrier and pipeline objects",
        "include <cuda_pipeline.h>, use __pipeline_memcpy_async, __pipeline_commit, __pipeline_wait_prior and"
        " __syncthreads()",
        *("<cuda/pipeline>", "<cuda/barrier>", "__pipeline_arrive_on", "memcpy_async", "*::memcpy_async"),
        *("cuda::pipeline*", "cuda::make_pipeline", "cuda::barrier", "cuda::device::*", "nvcuda::experimental::*"),
    ),
    (
        "cooperative groups",
        "use __syncthreads(), __syncwarp(mask) and the __shfl_..._sync functions, and a second launch where all blocks"
        " must wait",
        *("<cooperative_groups*", "cooperative_groups*", "cudaLaunchCooperativeKernel"),
    ),
    ("tensor cores (wmma)", "multiply and add in float", "<mma.h>", "nvcuda*", "wmma::*"),
    (
        "textures and surfaces",
        "read the tensor through its pointer, or with __ldg",
        *("cudaTextureObject_t", "cudaSurfaceObject_t", "tex[123]D*", "surf[123]D*"),
    ),
    (
        "libcu++ (cuda::...)",
        "use atomicAdd and its siblings, and __threadfence()",
        *("<cuda/*", "cuda::std::*", "cuda::atomic*", "cuda::latch", "cuda::*semaphore*", "cuda::ptx*"),
        "cuda::thread_scope*",
    ),
    ("CUB and Thrust", "write the loop in the kernel", "<cub/*", "<thrust/*", "cub::*", "thrust::*"),
    ("cuRAND", "make the numbers with torch.rand and pass the tensor", "<curand*", "curand_*"),
    (
        "bfloat16 and fp8",
        "use float or __half",
        *("<cuda_bf16.h>", "<cuda_fp8.h>", "__nv_bfloat16*", "__nv_fp8_*"),
    ),
    ("CUDA graphs", "launch the kernels one after another", "cudaGraph*", "cudaStreamBeginCapture"),
    ("clusters of blocks", "use one block for what belongs together", "__cluster_dims__", "cudaLaunchKernelEx*"),
)


def not_emulated(cuda: CudaText) -> Iterator[Refusal]:
    """What the emulator does not support in a source: where, and what to use instead."""
    first: dict[str, int] = {}
    for text, begin in (*cuda.includes, *((each.text, each.begin) for each in cuda.syntax.names)):
        if not cuda.undecided_until(begin):
            first.setdefault(text, begin)
    for name, instead, *patterns in _NOT_EMULATED:
        for text, begin in first.items():
            if any(fnmatchcase(text, pattern) for pattern in patterns):
                yield begin, f'the emulator has no {name}: {instead}, or use toolchain="nvcc" on a GPU'
