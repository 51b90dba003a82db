// Random numbers are PyTorch's work.
// call: noisy(A).shape
// gives: A.shape
// lacking in nvcc, emulator: PyTorch's own load_inline
#include <torch/extension.h>

torch::Tensor noisy(torch::Tensor A) { return torch::rand(A.sizes(), A.options()); }
