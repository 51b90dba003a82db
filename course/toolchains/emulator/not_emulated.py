"""What nvcc builds and the emulator does not support."""

from __future__ import annotations

import re
from collections.abc import Iterator

from course.toolchains.cuda_text import CudaText
from course.toolchains.emulator.nvcc_rules import Refusal

# How it is recognised, its name, and what to use in its place.
_NOT_EMULATED = [
    (re.compile(pattern), name, instead)
    for pattern, name, instead in (
        (r"\b(?:asm|__asm__)\b(?:\s+\w++){0,3}+\s*+\(", "inline PTX", "write it in CUDA C++"),
        (
            r"\b__pipeline_arrive_on\b|\bmemcpy_async\b|<cuda/(?:pipeline|barrier)>"
            r"|(?<!::)\b(?:nvcuda::experimental|cuda)::(?:pipeline|make_pipeline|barrier|device::\w+)\b",
            "barrier and pipeline objects",
            "include <cuda_pipeline.h>, use __pipeline_memcpy_async, __pipeline_commit, __pipeline_wait_prior and"
            " __syncthreads()",
        ),
        (
            r"\bcooperative_groups\b|\bcudaLaunchCooperativeKernel\b",
            "cooperative groups",
            "use __syncthreads(), __syncwarp(mask) and the __shfl_..._sync functions, and a second launch where all"
            " blocks must wait",
        ),
        (
            r"<mma\.h>|\bnvcuda\b|(?<!\w)wmma::",
            "tensor cores (wmma)",
            "multiply and add in float",
        ),
        (
            r"\bcuda(?:Texture|Surface)Object_t\b|\b(?:tex|surf)[123]D\w*\s*[<(]|(?<!\w)texture\s*<",
            "textures and surfaces",
            "read the tensor through its pointer, or with __ldg",
        ),
        (
            r"<cuda/[\w/]+>|(?<!::)\bcuda::(?:std::|atomic|latch|semaphore|ptx|thread_scope)\w*",
            "libcu++ (cuda::...)",
            "use atomicAdd and its siblings, and __threadfence()",
        ),
        (r"<(?:cub|thrust)/[\w/.]+>|(?<!\w)(?:cub|thrust)::", "CUB and Thrust", "write the loop in the kernel"),
        (r"<curand\w*\.h>|\bcurand_\w+", "cuRAND", "make the numbers with torch.rand and pass the tensor"),
        (r"<cuda_(?:bf16|fp8)\.h>|\b__nv_(?:bfloat16\w*|fp8_\w+)", "bfloat16 and fp8", "use float or __half"),
        (
            r"\bcudaGraph\w+|\bcudaStreamBeginCapture\b",
            "CUDA graphs",
            "launch the kernels one after another",
        ),
        (
            r"\b__cluster_dims__\b|\bcudaLaunchKernelExC?\b",
            "clusters of blocks",
            "use one block for what belongs together",
        ),
    )
]


def not_emulated(cuda: CudaText) -> Iterator[Refusal]:
    """What the emulator does not support in a source: where, and what to use instead."""
    for pattern, name, instead in _NOT_EMULATED:
        for match in pattern.finditer(cuda.blank):
            yield match.start(), f'the emulator has no {name}: {instead}, or use toolchain="nvcc" on a GPU'
