// Templates would keep the compiler busy for years.
// answer: 00-add
// says: (The compiler was stopped after \d+ s|The build was stopped, since it takes too long|virtual memory exhausted|out of memory)
#include <ATen/cuda/CUDAContext.h>
#include <torch/extension.h>

template <int N, long long K>
struct Sum {
    static constexpr long long value = Sum<N - 1, 2 * K>::value + Sum<N - 1, 2 * K + 1>::value;
};

template <long long K>
struct Sum<0, K> {
    static constexpr long long value = K;
};

constexpr long long kSum = Sum<60, 0>::value;

__global__ void add_kernel(const float* A, const float* B, float* C, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) {
        C[i] = A[i] + B[i];
    }
}

torch::Tensor add(torch::Tensor A, torch::Tensor B) {
    auto C = torch::empty_like(A);
    int N = A.numel();
    if (N == 0) return C;
    add_kernel<<<(N + 255) / 256, 256>>>(A.data_ptr<float>(), B.data_ptr<float>(), C.data_ptr<float>(), N);
    return C;
}
