// PyTorch's own tutorial passes accessors, which have the strides, to kernels.
// call: added_by_accessor(A, B)
// gives: A + B
// call: added_by_accessor(A.t(), B.t())
// gives: A.t() + B.t()
#include <torch/extension.h>

__global__ void added_by_accessor_kernel(const torch::PackedTensorAccessor32<float, 2, torch::RestrictPtrTraits> A,
                                         const torch::PackedTensorAccessor32<float, 2, torch::RestrictPtrTraits> B,
                                         torch::PackedTensorAccessor32<float, 2, torch::RestrictPtrTraits> C) {
    const int j = blockIdx.x * blockDim.x + threadIdx.x;
    const int i = blockIdx.y;
    if (j < C.size(1)) C[i][j] = A[i][j] + B[i][j];
}

torch::Tensor added_by_accessor(torch::Tensor A, torch::Tensor B) {
    auto C = torch::empty_like(A);
    const dim3 blocks((A.size(1) + 31) / 32, A.size(0));
    added_by_accessor_kernel<<<blocks, 32>>>(A.packed_accessor32<float, 2, torch::RestrictPtrTraits>(),
                                             B.packed_accessor32<float, 2, torch::RestrictPtrTraits>(),
                                             C.packed_accessor32<float, 2, torch::RestrictPtrTraits>());
    return C;
}
