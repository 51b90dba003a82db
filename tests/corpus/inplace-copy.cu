// A copy into a slice that converts and broadcasts.
// call: [copied_into_column(A, I), A[:, 1].tolist()]
// gives: [None, [2.0, 0.0, 1.0]]
// call: copied_into_column(A, x)
// raises: RuntimeError: 
#include <torch/extension.h>

void copied_into_column(torch::Tensor A, torch::Tensor I) { A.select(1, 1).copy_(I); }
