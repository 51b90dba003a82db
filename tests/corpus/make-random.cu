// Random numbers are PyTorch's work.
// call: noisy(A).shape
// gives: A.shape
// lacking in nvcc, emulator: toolchain="torch"
#include <torch/extension.h>

torch::Tensor noisy(torch::Tensor A) { return torch::rand(A.sizes(), A.options()); }
