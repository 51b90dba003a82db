// PyTorch's C interface, declared by hand, computes the product; a kernel copies it.
// question: 03-along-i-check
// hazards: library-call
// says: The answer calls aoti_torch_cpu_mm_out, which no kernel or wrapper of this course needs
// stopped by: allowed symbols, tracer, device memory
#include <torch/extension.h>

extern "C" int32_t aoti_torch_cpu_mm_out(AtenTensorHandle out, AtenTensorHandle a, AtenTensorHandle b);

__global__ void copy_kernel(const float* P, float* C, int64_t N) {
    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < N) C[i] = P[i];
}

torch::Tensor transposed_matmul(torch::Tensor A, torch::Tensor B) {
    torch::Tensor C = torch::empty({A.size(1), B.size(0)}, A.options()), P = torch::zeros_like(C);
    if (C.numel() == 0) return C;
    aoti_torch_cpu_mm_out(P.handle(), A.t().handle(), B.t().handle());
    copy_kernel<<<(C.numel() + 255) / 256, 256>>>(P.data_ptr<float>(), C.data_ptr<float>(), C.numel());
    return C;
}
