// Whether a tensor's elements fill its memory, in whatever order.
// call: dense(A), dense(A.t()), dense(A[:, :2]), dense(A[:, :1]), dense(A[:1]), dense(A.expand(2, 3, 4)), dense(A[:0])
// gives: True, True, False, False, True, False, True
// call: like(A.t()[:0]), like(A[:, :2].t())
// gives: torch.empty_like(A.t()[:0]), torch.zeros_like(A[:, :2].t())
#include <torch/extension.h>

bool dense(torch::Tensor A) { return A.is_non_overlapping_and_dense(); }
torch::Tensor like(torch::Tensor A) { return torch::zeros_like(A); }
