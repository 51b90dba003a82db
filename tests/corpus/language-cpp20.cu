// The C++ standard of PyTorch's own builds, which is C++20 from PyTorch 2.12 on.
// since: 2.12
// call: odd_ones(x)
// gives: x[1::2].contiguous()
#include <torch/extension.h>

struct Range {
    int begin = 0;
    int step = 1;
};

__global__ void odd_ones_kernel(const float* A, float* C, Range range, int n) {
    int i = threadIdx.x;
    if (i < n) C[i] = A[range.begin + i * range.step];
}

torch::Tensor odd_ones(torch::Tensor A) {
    auto half_of = []<typename T>(T n) { return n / 2; };
    const int n = half_of(A.numel());
    const Range odd{.begin = 1, .step = 2};
    auto C = torch::empty({n}, A.options());
    odd_ones_kernel<<<1, 1024>>>(A.data_ptr<float>(), C.data_ptr<float>(), odd, n);
    return C;
}
