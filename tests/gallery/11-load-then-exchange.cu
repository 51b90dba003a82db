// A count is loaded, and an atomic exchange stores it, increased by one.
// task: histogram
// refused by: tracer
// says: reads what line .* changes \(atomically\) in another thread; .* give each element to one thread, or use `?atomicAdd
// hazards: race

#include <course/checks.h>
constexpr int kBins = 256;
constexpr int kThreads = 256;
__global__ void histogram_kernel(const int64_t* __restrict__ X, int64_t* __restrict__ counts, int64_t N) {
    const int64_t i = static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x;
    if (i < N) {
        const int64_t old = counts[X[i]];
        atomicExch(reinterpret_cast<unsigned long long*>(&counts[X[i]]), static_cast<unsigned long long>(old + 1));
    }
}
torch::Tensor histogram(torch::Tensor X) {
    course::check_inputs({{X, "X"}}, torch::kInt64);
    course::check_dim({X, "X"}, 1);
    const at::cuda::OptionalCUDAGuard guard(device_of(X));
    torch::Tensor counts = torch::zeros({kBins}, X.options());
    const int64_t N = X.numel();
    if (N > 0) {
        histogram_kernel<<<course::cdiv(N, kThreads), kThreads, 0, at::cuda::getCurrentCUDAStream()>>>(
            X.data_ptr<int64_t>(), counts.data_ptr<int64_t>(), N);
        C10_CUDA_KERNEL_LAUNCH_CHECK();
    }
    return counts;
}
