// A functor, a template over the operation and helpers in an anonymous namespace.
// task: vector_add
#include <torch/extension.h>

namespace {
constexpr int kThreads = 128;
int64_t blocks_for(int64_t n) { return (n + kThreads - 1) / kThreads; }

template <class T>
struct Add {
    __device__ __forceinline__ T operator()(T x, T y) const { return x + y; }
};

template <class T, class Operation>
__global__ void zip(const T* a, const T* b, T* c, int64_t n, Operation operation) {
    const int64_t i = blockIdx.x * int64_t(blockDim.x) + threadIdx.x;
    if (i < n) c[i] = operation(a[i], b[i]);
}
}  // namespace

torch::Tensor add(torch::Tensor A, torch::Tensor B) {
    auto C = torch::empty_like(A);
    if (A.numel()) {
        zip<<<blocks_for(A.numel()), kThreads>>>(A.data_ptr<float>(), B.data_ptr<float>(), C.data_ptr<float>(),
                                                 A.numel(), Add<float>{});
    }
    return C;
}
