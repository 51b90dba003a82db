// There is a barrier after each step of the tree, but no barrier before the first step.
// task: row_scaling_dots
// refused by: emulator
// hazards: race
// says: line \d+ \(.?partial\[t\] = sum;.?\) writes what line \d+ .* is missing between
#include <course/checks.h>

constexpr int kThreads = 256;  // threads in a block

__global__ void dots_kernel(const float* B, const float* dC, float* dA, int64_t M, int64_t N) {
    __shared__ float partial[kThreads];
    const int64_t i = blockIdx.x;  // row
    const int t = threadIdx.x;
    float sum = 0.0f;
    for (int64_t j = t; j < N; j += kThreads) {
        sum += B[i * N + j] * dC[i * N + j];
    }
    partial[t] = sum;
    for (int half = kThreads / 2; half > 0; half /= 2) {
        if (t < half) {
            partial[t] += partial[t + half];
        }
        __syncthreads();
    }
    if (t == 0) {
        dA[i] = partial[0];
    }
}

torch::Tensor row_dots(torch::Tensor B, torch::Tensor dC) {
    const int64_t M = B.size(0), N = B.size(1);
    torch::Tensor dA = torch::empty({M}, B.options());
    if (M == 0) return dA;
    dots_kernel<<<M, kThreads>>>(B.data_ptr<float>(), dC.data_ptr<float>(), dA.data_ptr<float>(), M, N);
    return dA;
}
