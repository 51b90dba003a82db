// The grid-stride loop and the block counts of PyTorch's own kernels.
#pragma once
#include <climits>

#include "c10/util/Exception.h"

#define CUDA_KERNEL_LOOP_TYPE(i, n, index_type)                                    \
    int64_t course_index = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;         \
    for (index_type i = static_cast<index_type>(course_index); course_index < (n); \
         course_index += int64_t{blockDim.x} * gridDim.x, i = static_cast<index_type>(course_index))
#define CUDA_KERNEL_LOOP(i, n) CUDA_KERNEL_LOOP_TYPE(i, n, int)

namespace at::cuda::detail {

constexpr int CUDA_NUM_THREADS = 1024;

inline int GET_BLOCKS(const int64_t N, const int64_t max_threads_per_block = CUDA_NUM_THREADS) {
    TORCH_INTERNAL_ASSERT(N > 0, "CUDA kernel launch blocks must be positive, but got N=", N);
    const int64_t blocks = (N - 1) / max_threads_per_block + 1;
    TORCH_INTERNAL_ASSERT(blocks <= INT_MAX, "Can't schedule too many blocks on CUDA device");
    return static_cast<int>(blocks);
}

}  // namespace at::cuda::detail
