// A pointer in place of a tensor.
// call: from_pointer(A, 12)
// raises: TypeError: from_pointer(): incompatible function arguments
// lacking in nvcc, emulator: PyTorch's own load_inline
#include <torch/extension.h>

__global__ void from_pointer_kernel(float* A) { A[threadIdx.x] = 0.0f; }

void from_pointer(float* A, int n) { from_pointer_kernel<<<1, n>>>(A); }
