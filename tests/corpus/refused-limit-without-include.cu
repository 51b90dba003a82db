// FLT_MAX is in <cfloat>.
// refused: FLT_MAX
#include <torch/extension.h>

__global__ void lowest_kernel(float* A) { A[threadIdx.x] = -FLT_MAX; }

torch::Tensor lowest(torch::Tensor A) {
    lowest_kernel<<<1, A.numel()>>>(A.data_ptr<float>());
    return A;
}
