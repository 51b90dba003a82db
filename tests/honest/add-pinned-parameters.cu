// The size is read from managed memory, which the host writes before the launch.
// task: vector_add
#include <torch/extension.h>

struct Parameters {
    int n;
    float weight;
};

__global__ void add_kernel(const float* a, const float* b, float* c, const Parameters* p) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < p->n) c[i] = p->weight * a[i] + b[i];
}

torch::Tensor add(torch::Tensor A, torch::Tensor B) {
    auto C = torch::empty_like(A);
    const int n = A.numel();
    if (n == 0) return C;
    Parameters* p;
    TORCH_CHECK(cudaMallocManaged(&p, sizeof(Parameters)) == cudaSuccess);
    p->n = n;
    p->weight = 1.0f;
    add_kernel<<<(n + 255) / 256, 256>>>(A.data_ptr<float>(), B.data_ptr<float>(), C.data_ptr<float>(), p);
    cudaDeviceSynchronize();
    cudaFree(p);
    return C;
}
