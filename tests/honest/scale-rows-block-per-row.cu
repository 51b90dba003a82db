// One block per row; one thread puts the row's factor in shared memory.
// task: row_scaling_checked
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>

#define CHECK_CUDA(x) TORCH_CHECK(x.is_cuda(), #x " must be a CUDA tensor")
#define CHECK_CONTIGUOUS(x) TORCH_CHECK(x.is_contiguous(), #x " must be contiguous")
#define CHECK_FLOAT(x) TORCH_CHECK(x.scalar_type() == torch::kFloat32, #x " must be float32")
#define CHECK_INPUT(x) CHECK_CUDA(x); CHECK_CONTIGUOUS(x); CHECK_FLOAT(x)

__global__ void scale_kernel(const float* A, const float* B, float* C, int N) {
    __shared__ float a;
    if (threadIdx.x == 0) a = A[blockIdx.x];
    __syncthreads();
    for (int j = threadIdx.x; j < N; j += blockDim.x) C[blockIdx.x * N + j] = a * B[blockIdx.x * N + j];
}

torch::Tensor row_scaling(torch::Tensor A, torch::Tensor B) {
    CHECK_INPUT(A);
    CHECK_INPUT(B);
    TORCH_CHECK(A.dim() == 1 && B.dim() == 2, "A must be a vector and B a matrix");
    TORCH_CHECK(A.size(0) == B.size(0), "A has ", A.size(0), " elements, B ", B.size(0), " rows");
    auto C = torch::empty_like(B);
    if (B.numel() > 0) {
        scale_kernel<<<B.size(0), 256, 0, at::cuda::getCurrentCUDAStream()>>>(
            A.data_ptr<float>(), B.data_ptr<float>(), C.data_ptr<float>(), B.size(1));
    }
    return C;
}
