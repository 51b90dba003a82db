// Accessors of a dispatched type with three dimensions, whose sizes and strides the kernel reads.
// call: summed_planes(A.view(3, 2, 2).double())
// gives: A.view(3, 2, 2).double().sum(0)
// call: summed_planes(A.double())
// raises: RuntimeError: TensorAccessor expected 3 dims but tensor has 2
#include <torch/extension.h>

template <typename scalar_t>
__global__ void summed_planes_kernel(torch::PackedTensorAccessor64<scalar_t, 3> A,
                                     torch::PackedTensorAccessor64<scalar_t, 2> C) {
    scalar_t sum = 0;
    for (int64_t k = 0; k < A.size(0); ++k) sum += A[k][threadIdx.y][threadIdx.x];
    auto row = C[threadIdx.y];
    if (row.stride(0) == 1) row[threadIdx.x] = sum;
}

torch::Tensor summed_planes(torch::Tensor A) {
    auto C = torch::empty({2, 2}, A.options());
    AT_DISPATCH_FLOATING_TYPES(A.scalar_type(), "summed_planes", ([&] {
        summed_planes_kernel<scalar_t><<<1, dim3(2, 2)>>>(A.packed_accessor64<scalar_t, 3>(),
                                                           C.packed_accessor64<scalar_t, 2>());
    }));
    return C;
}
