// A tree in dynamic shared memory; the second reduction uses the array again.
// task: softmax
#include <torch/extension.h>
#include <math_constants.h>

__global__ void softmax_kernel(const float* A, float* C, int N) {
    extern __shared__ float shared[];
    const float* a = A + (size_t)blockIdx.x * N;
    float* c = C + (size_t)blockIdx.x * N;
    const int tid = threadIdx.x;

    float m = -CUDART_INF_F;
    for (int j = tid; j < N; j += blockDim.x) m = fmaxf(m, a[j]);
    shared[tid] = m;
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s >>= 1) {
        if (tid < s) shared[tid] = fmaxf(shared[tid], shared[tid + s]);
        __syncthreads();
    }
    m = shared[0];
    __syncthreads();

    float sum = 0.0f;
    for (int j = tid; j < N; j += blockDim.x) {
        const float e = expf(a[j] - m);
        c[j] = e;
        sum += e;
    }
    shared[tid] = sum;
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s >>= 1) {
        if (tid < s) shared[tid] += shared[tid + s];
        __syncthreads();
    }
    const float inverse = 1.0f / shared[0];
    for (int j = tid; j < N; j += blockDim.x) c[j] *= inverse;
}

torch::Tensor softmax(torch::Tensor A) {
    TORCH_CHECK(A.is_cuda(), "A must be a CUDA tensor");
    TORCH_CHECK(A.scalar_type() == torch::kFloat, "A must be float");
    TORCH_CHECK(A.is_contiguous(), "A must be contiguous");
    auto C = torch::empty_like(A);
    if (C.numel() == 0) return C;
    const int threads = 128;
    softmax_kernel<<<A.size(0), threads, threads * sizeof(float)>>>(A.data_ptr<float>(), C.data_ptr<float>(),
                                                                    A.size(1));
    return C;
}
