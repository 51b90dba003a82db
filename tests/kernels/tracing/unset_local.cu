// The accumulators of each thread have no first value.
#include <torch/extension.h>

__global__ void of_unset_parts(const float* a, float* c, int n) {
    float parts[2];
    if (threadIdx.x >= n) return;
    for (int k = 0; k < 2; k++) parts[k] += a[threadIdx.x];  // unset-parts
    c[threadIdx.x] = parts[0] + parts[1];
}

torch::Tensor unset_local(torch::Tensor A) {
    auto C = torch::empty_like(A);
    of_unset_parts<<<1, 64>>>(A.data_ptr<float>(), C.data_ptr<float>(), A.numel());
    return C;
}
