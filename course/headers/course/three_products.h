// What the kernels of notebook 09 in TF32 share: a float32 number in two parts, and the checks of the
// wrapper.
#pragma once
#include <ATen/cuda/CUDAContext.h>
#include <course/checks.h>
#include <cuda_pipeline.h>
#include <torch/extension.h>

namespace course {

// x = big + small except for the last bits, and both parts have the 11 significant bits of TF32. Bits are cut
// off here, not rounded, which saves an instruction for each part and loses half a digit.
__device__ inline void split(float x, uint32_t& big, uint32_t& small) {
    constexpr uint32_t kKept = 0xFFFFE000;  // all but 13 bits
    big = __float_as_uint(x) & kKept;
    small = __float_as_uint(x - __uint_as_float(big)) & kKept;
}

// C = A.T @ B.T by `launch(C, blocks)`, in which a block makes tile_i x tile_j of C in steps of `depth`. M
// and N must be multiples of 4, and K of `depth`. An infinity in A or B gives NaN, because its two parts are
// infinity and infinity - infinity.
template <class Launch>
torch::Tensor three_products(const torch::Tensor& A, const torch::Tensor& B, int tile_i, int tile_j,
                             int depth, const Launch& launch) {
    check_inputs({{A, "A"}, {B, "B"}}, torch::kFloat32);
    check_dim({A, "A"}, 2);
    check_shape({B, "B"}, {B.size(0), A.size(0)});
    const at::cuda::OptionalCUDAGuard guard(device_of(A));
    const int64_t K = A.size(0), M = A.size(1), N = B.size(0);
    constexpr int kVector = 4;  // floats in a float4
    TORCH_CHECK(M % kVector == 0 && N % kVector == 0 && K % depth == 0, "M and N must be multiples of ",
                kVector, " and K of ", depth);
    TORCH_CHECK(reinterpret_cast<uintptr_t>(A.data_ptr<float>()) % sizeof(float4) == 0 &&
                    reinterpret_cast<uintptr_t>(B.data_ptr<float>()) % sizeof(float4) == 0,
                "A and B must begin at a multiple of 16 bytes");
    torch::Tensor C = torch::empty({M, N}, A.options());
    if (C.numel() == 0 || K == 0) {
        return C.zero_();
    }
    const dim3 blocks(cdiv(N, tile_j), cdiv(M, tile_i));
    TORCH_CHECK(blocks.y <= 65535, "C has too many rows");
    launch(C, blocks);
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return C;
}

}  // namespace course
