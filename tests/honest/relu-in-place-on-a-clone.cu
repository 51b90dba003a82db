// A copy by clone(), then an in-place kernel that stores only the elements that change.
// task: relu
#include <torch/extension.h>

__global__ void clamp_negative_(float* x, int64_t n) {
    for (int64_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (int64_t)gridDim.x * blockDim.x)
        if (x[i] < 0) x[i] = 0;
}

torch::Tensor relu(torch::Tensor A) {
    torch::Tensor C = A.clone();
    clamp_negative_<<<8, 256>>>(C.data_ptr<float>(), C.numel());
    return C;
}
