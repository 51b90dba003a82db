// slice and narrow, and a kernel that starts in the middle of a storage.
// call: middle_doubled(x)
// gives: x[250:750] * 2
#include <torch/extension.h>

__global__ void middle_doubled_kernel(const float* A, float* C) { C[threadIdx.x] = 2.0f * A[threadIdx.x]; }

torch::Tensor middle_doubled(torch::Tensor A) {
    auto later = A.slice(0, 250), middle = later.slice(/*dim=*/0, /*start=*/0, /*end=*/500);
    TORCH_CHECK(middle.storage_offset() == 250 && middle.numel() == 500);
    auto C = torch::empty_like(middle);
    middle_doubled_kernel<<<1, 500>>>(middle.data_ptr<float>(), C.narrow(0, 0, 500).data_ptr<float>());
    return C;
}
