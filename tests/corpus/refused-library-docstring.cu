// TORCH_LIBRARY's def takes no docstring.
// refused: torch::Library::def|no matching member function for call to 'def'
#include <torch/extension.h>

torch::Tensor registered(torch::Tensor A) { return A; }

TORCH_LIBRARY(corpus, m) { m.def("registered", &registered, "gives A back"); }
