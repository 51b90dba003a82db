// PYBIND11_MODULE in the source, and functions as well.
// functions: bound_by_both
// refused: (?:multiple definition of .?|duplicate symbol: )PyInit_
#include <torch/extension.h>

torch::Tensor bound_by_both(torch::Tensor A) { return A; }

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("bound_by_both", &bound_by_both); }
