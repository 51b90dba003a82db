// extern "C" on the prototype alone.
// cpp_sources: extern "C" torch::Tensor c_linkage(torch::Tensor A);
// functions: c_linkage
// refused: undefined symbol: c_linkage
#include <torch/extension.h>

torch::Tensor c_linkage(torch::Tensor A) { return A; }
