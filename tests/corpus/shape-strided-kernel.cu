// The kernel uses the input's strides.
// call: tripled_by_strides(A.t())
// gives: (A.t() * 3).contiguous()
// call: tripled_by_strides(A[:, ::2])
// gives: A[:, ::2] * 3
// call: tripled_by_strides(A[:1].expand(3, 4))
// gives: A[:1].expand(3, 4) * 3
#include <torch/extension.h>

__global__ void tripled_by_strides_kernel(const float* A, float* C, int64_t down, int64_t across, int64_t M, int64_t N) {
    const int64_t j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < M && j < N) C[i * N + j] = 3.0f * A[i * down + j * across];
}

torch::Tensor tripled_by_strides(const torch::Tensor& A) {
    auto C = torch::empty({A.size(0), A.size(1)}, A.options());
    const dim3 block(8, 8);
    const dim3 grid((A.size(1) + block.x - 1) / block.x, (A.size(0) + block.y - 1) / block.y);
    tripled_by_strides_kernel<<<grid, block>>>(A.data_ptr<float>(), C.data_ptr<float>(), A.stride(0), A.stride(1),
                                               A.size(0), A.size(1));
    return C;
}
