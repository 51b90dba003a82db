// The online algorithm: a struct of maximum and sum, merged in a tree of structs in shared memory.
// task: softmax
#include <torch/extension.h>
#include <cfloat>

struct __align__(8) MD {
    float m, d;
};

__device__ __forceinline__ MD merge(MD a, MD b) {
    if (a.d == 0.0f) return b;
    if (b.d == 0.0f) return a;
    const bool a_larger = a.m > b.m || a.m != a.m;
    const MD big = a_larger ? a : b, small = a_larger ? b : a;
    MD r;
    r.m = big.m;
    r.d = big.d + (small.m == big.m ? small.d : small.d * __expf(small.m - big.m));
    return r;
}

template <int THREADS>
__global__ void softmax_kernel(const float* __restrict__ A, float* __restrict__ C, int N) {
    __shared__ MD parts[THREADS];
    const float* a = A + int64_t(blockIdx.x) * N;
    MD mine = {-FLT_MAX, 0.0f};
    for (int j = threadIdx.x; j < N; j += THREADS) mine = merge(mine, MD{a[j], a[j] == -INFINITY ? 0.0f : 1.0f});
    parts[threadIdx.x] = mine;
    __syncthreads();
    for (int half = THREADS / 2; half; half /= 2) {
        if (threadIdx.x < half) parts[threadIdx.x] = merge(parts[threadIdx.x], parts[threadIdx.x + half]);
        __syncthreads();
    }
    MD total = parts[0];
    if (total.d == 0.0f || total.m == INFINITY) total.d = NAN;  // as the quotient of PyTorch's own kernel
    for (int j = threadIdx.x; j < N; j += THREADS) {
        C[int64_t(blockIdx.x) * N + j] = expf(a[j] - total.m) / total.d;
    }
}

torch::Tensor softmax(torch::Tensor A) {
    TORCH_CHECK(A.is_cuda() && A.dtype() == torch::kFloat && A.is_contiguous(), "A must be contiguous float, on the GPU");
    auto C = torch::empty_like(A);
    if (A.numel()) softmax_kernel<64><<<A.size(0), 64>>>(A.data_ptr<float>(), C.data_ptr<float>(), A.size(1));
    return C;
}
