// Virtual functions of objects that live in the kernel, chosen at run time.
// task: vector_add
#include <torch/extension.h>
#include <c10/cuda/CUDAException.h>

struct Sum {
    __device__ virtual float of(float a, float b) const { return a + b; }
};

struct ReversedSum : Sum {
    __device__ float of(float a, float b) const override { return b + a; }
};

__global__ void add_kernel(const float* A, const float* B, float* C, int64_t N) {
    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    const Sum sum;
    const ReversedSum reversed;
    const Sum* chosen = i % 2 ? &sum : static_cast<const Sum*>(&reversed);
    if (i < N) C[i] = chosen->of(A[i], B[i]);
}

torch::Tensor add(torch::Tensor A, torch::Tensor B) {
    TORCH_CHECK(A.is_cuda() && B.is_cuda(), "A and B must be on the GPU");
    TORCH_CHECK(A.sizes() == B.sizes(), "A and B must have the same shape");
    torch::Tensor C = torch::empty_like(A);
    const int64_t N = A.numel();
    if (N == 0) return C;
    constexpr int kThreads = 256;
    add_kernel<<<(N + kThreads - 1) / kThreads, kThreads>>>(A.data_ptr<float>(), B.data_ptr<float>(),
                                                            C.data_ptr<float>(), N);
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return C;
}
