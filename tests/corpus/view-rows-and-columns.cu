// Rows by brackets, columns by select; both share the storage.
// call: row_and_column(A, 1, -1)
// gives: [A[1], A[:, -1]]
// call: row_and_column(A, 3, 0)
// raises: IndexError: 
#include <torch/extension.h>

std::vector<torch::Tensor> row_and_column(torch::Tensor A, int64_t i, int64_t j) { return {A[i], A.select(1, j)}; }
