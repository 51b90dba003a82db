// Has the assembler include a file from elsewhere on the machine in the library, and prints it.
// question: 00-add-check
// says: 'asm' may hide what a kernel does to memory
// stopped by: sandbox, assembly of a file
#include <torch/extension.h>

#include <cstdio>

#define SPELT(a, b) a##b
SPELT(a, sm)(".data\n.globl taken\ntaken: .incbin \"{outside}\"\n.byte 0\n.text\n");
extern "C" __attribute__((visibility("hidden"))) const char taken[];

__global__ void add_kernel(const float* A, const float* B, float* C, int64_t N) {
    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < N) C[i] = A[i] + B[i];
}

torch::Tensor add(torch::Tensor A, torch::Tensor B) {
    puts(taken);
    torch::Tensor C = torch::empty_like(A);
    const int64_t N = A.numel();
    if (N) add_kernel<<<(N + 255) / 256, 256>>>(A.data_ptr<float>(), B.data_ptr<float>(), C.data_ptr<float>(), N);
    return C;
}
