// The wrapper itself checks and reports CUDA's error code.
// call: told_by_hand(x)
// raises: RuntimeError: the launch failed: invalid
#include <torch/extension.h>

__global__ void told_by_hand_kernel(float* A) { A[threadIdx.x] = 0.0f; }

void told_by_hand(torch::Tensor A) {
    told_by_hand_kernel<<<1, 1025>>>(A.data_ptr<float>());
    cudaError_t error = cudaGetLastError();
    TORCH_CHECK(error == cudaSuccess, "the launch failed: ", cudaGetErrorString(error));
}
