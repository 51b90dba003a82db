// Every numeric type, bool and half.
// call: count_of_zeros(A > 0)
// gives: int((A <= 0).sum())
// call: count_of_zeros(A.half())
// gives: int((A == 0).sum())
// call: count_of_zeros(A.bfloat16())
// raises: NotImplementedError: "count_of_zeros" not implemented for 'BFloat16'
#include <torch/extension.h>

template <typename scalar_t>
__global__ void count_of_zeros_kernel(const scalar_t* A, int* count) {
    if (A[threadIdx.x] == scalar_t(0)) atomicAdd(count, 1);
}

int count_of_zeros(torch::Tensor A) {
    auto count = torch::zeros({1}, A.options().dtype(torch::kInt));
    AT_DISPATCH_ALL_TYPES_AND2(torch::kBool, torch::kHalf, A.scalar_type(), "count_of_zeros", [&]() {
        count_of_zeros_kernel<scalar_t><<<1, A.numel()>>>(A.data_ptr<scalar_t>(), count.data_ptr<int>());
    });
    return count.item().toInt();
}
