// cpp_sources has no prototype of the function that is bound.
// cpp_sources: torch::Tensor another(torch::Tensor A);
// functions: unannounced
// refused: undeclared identifier 'unannounced'|unannounced.* was not declared in this scope
#include <torch/extension.h>

torch::Tensor unannounced(torch::Tensor A) { return A; }
