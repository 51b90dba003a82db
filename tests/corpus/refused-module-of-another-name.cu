// PYBIND11_MODULE with another name than TORCH_EXTENSION_NAME.
// functions: none
// refused: does not define module export function
#include <torch/extension.h>

torch::Tensor named_otherwise(torch::Tensor A) { return A; }

PYBIND11_MODULE(my_extension, m) { m.def("named_otherwise", &named_otherwise); }
