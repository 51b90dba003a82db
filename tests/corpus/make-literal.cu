// A tensor of literal values.
// call: written_out(A)
// gives: torch.tensor([0.25, 0.5, 0.25])
// lacking in nvcc, emulator: PyTorch's own load_inline
#include <torch/extension.h>

torch::Tensor written_out(torch::Tensor A) { return torch::tensor({0.25f, 0.5f, 0.25f}, A.options()); }
