// The course's own header of checks.
// call: checked(A, B)
// gives: A - B
// call: checked(A, host(B))
// raises: RuntimeError: B must be on the GPU, but is on cpu
// call: checked(A.double(), B)
// raises: RuntimeError: A must have dtype Float, but has Double
// call: checked(A, B.t())
// raises: RuntimeError: B must be contiguous
// call: checked(A, B[0])
// raises: RuntimeError: B must be 2-dimensional, but is 1-dimensional
// call: checked(A, B[:2])
// raises: RuntimeError: B must have shape [3, 4], but has [2, 4]
#include <ATen/cuda/CUDAContext.h>
#include <course/checks.h>
#include <torch/extension.h>

__global__ void checked_kernel(const float* A, const float* B, float* C) {
    C[threadIdx.x] = A[threadIdx.x] - B[threadIdx.x];
}

torch::Tensor checked(torch::Tensor A, torch::Tensor B) {
    course::check_inputs({{A, "A"}, {B, "B"}}, torch::kFloat32);
    course::check_dim({B, "B"}, 2);
    course::check_shape({B, "B"}, {A.size(0), A.size(1)});
    const at::cuda::OptionalCUDAGuard guard(device_of(A));
    torch::Tensor C = torch::empty_like(A);
    checked_kernel<<<1, A.numel(), 0, at::cuda::getCurrentCUDAStream()>>>(
        A.data_ptr<float>(), B.data_ptr<float>(), C.data_ptr<float>());
    return C;
}
