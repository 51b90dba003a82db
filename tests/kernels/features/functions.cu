// Functors, templates, constants, and functions for host and device.
#include <ATen/cuda/CUDAContext.h>

namespace course_test {
template <int N>
struct Power {
    __device__ static float of(float x) { return x * Power<N - 1>::of(x); }
};

template <>
struct Power<0> {
    __device__ static float of(float) { return 1.0f; }
};
}  // namespace course_test

struct AddConstant {
    float constant;
    __host__ __device__ float operator()(float x) const { return x + constant; }
};

template <typename Op>
__global__ void map(Op f, const float* a, float* c, int n);  // declared first, defined below
constexpr int kBlock = 128;
inline int cdiv(int a, int b) { return (a + b - 1) / b; }
__host__ __device__ constexpr int twice(int x) { return 2 * x; }
constexpr int shared_by_both(int x) { return x + 1; }
torch::Tensor mapped(torch::Tensor A, double constant) {
    auto C = torch::empty_like(A);
    map<<<cdiv(A.numel(), kBlock), kBlock>>>(AddConstant{static_cast<float>(constant)}, A.data_ptr<float>(),
                                             C.data_ptr<float>(), A.numel());
    return C;
}

template <typename Op>
__global__ void map(Op f, const float* a, float* c, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = f(a[i]) + course_test::Power<3>::of(a[i]) + twice(shared_by_both(0));
}

torch::Tensor f(torch::Tensor A) { return A; }  // a host function of the functor parameter's name

__constant__ float coefficients[4];
__constant__ int constants_used = 3;
__global__ void polynomial(const float* __restrict__ a, float* __restrict__ c, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = 0;
    for (int k = constants_used; k >= 0; --k) sum = sum * a[i] + coefficients[k];
    c[i] = sum;
}

torch::Tensor evaluated(torch::Tensor A, std::vector<double> values) {
    std::vector<float> floats(values.begin(), values.end());
    C10_CUDA_CHECK(cudaMemcpyToSymbol(coefficients, floats.data(), 2 * sizeof(float)));
    C10_CUDA_CHECK(cudaMemcpyToSymbol(coefficients, floats.data() + 2, 2 * sizeof(float), 2 * sizeof(float)));
    TORCH_CHECK(cudaMemcpyToSymbol(coefficients, floats.data(), 5 * sizeof(float)) == cudaErrorInvalidValue);
    auto C = torch::empty_like(A);
    polynomial<<<cdiv(A.numel(), 64), 64>>>(A.data_ptr<float>(), C.data_ptr<float>(), A.numel());
    return C;
}
