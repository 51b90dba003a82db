// PyTorch's own arithmetic, where the kernel should do the work.
// call: doubled_by_library(A)
// gives: A * 2 + 1
// lacking in nvcc, emulator: library-call.*PyTorch's own load_inline
#include <torch/extension.h>

torch::Tensor doubled_by_library(torch::Tensor A) {
    auto C = A.clone();
    C.mul_(2);
    C += 1;
    return C;
}
