// Two functions have the same name, so it is unclear which one to bind.
// functions: overloaded
// cpp_sources: torch::Tensor overloaded(torch::Tensor A); torch::Tensor overloaded(torch::Tensor A, double factor);
// refused: overloaded|couldn't infer template argument
#include <torch/extension.h>

torch::Tensor overloaded(torch::Tensor A) { return A; }
torch::Tensor overloaded(torch::Tensor A, double factor) { return A; }
