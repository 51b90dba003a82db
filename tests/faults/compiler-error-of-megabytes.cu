// A type whose name has a million letters stands in a compiler's error.
// answer: 00-add
// says: line \d+: error: cannot convert 'Doubled<17>::type'
#include <ATen/cuda/CUDAContext.h>
#include <torch/extension.h>

template <typename A, typename B>
struct Pair {};

template <int N>
struct Doubled {
    using type = Pair<typename Doubled<N - 1>::type, typename Doubled<N - 1>::type>;
};

template <>
struct Doubled<0> {
    using type = int;
};

int count = Doubled<17>::type();

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
