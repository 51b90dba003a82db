// Messages composed of sizes and types.
// call: product_shape(A, B.t())
// gives: [3, 3]
// call: product_shape(A, B)
// raises: RuntimeError: A is [3, 4] and B is [3, 4]: A has 4 columns, B 3 rows
// call: product_shape(A, x)
// raises: RuntimeError: B must be a matrix, but has 1 dimensions
// call: product_shape(A, B.t().half())
// raises: RuntimeError: types differ: Float and Half
#include <torch/extension.h>

std::vector<int64_t> product_shape(torch::Tensor A, torch::Tensor B) {
    TORCH_CHECK(A.dim() == 2, "A must be a matrix, but has ", A.dim(), " dimensions");
    TORCH_CHECK(B.dim() == 2, "B must be a matrix, but has ", B.dim(), " dimensions");
    TORCH_CHECK(A.size(1) == B.size(0), "A is ", A.sizes(), " and B is ", B.sizes(), ": A has ", A.size(1),
                " columns, B ", B.size(0), " rows");
    TORCH_CHECK(A.scalar_type() == B.scalar_type(), "types differ: ", A.scalar_type(), " and ", B.scalar_type());
    return {A.size(0), B.size(1)};
}
