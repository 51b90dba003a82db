// Neither functions nor PYBIND11_MODULE binds anything.
// functions: none
// refused: does not define module export function
#include <torch/extension.h>

torch::Tensor bound_by_none(torch::Tensor A) { return A; }
