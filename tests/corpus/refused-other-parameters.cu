// The prototype and the definition differ in a type.
// cpp_sources: torch::Tensor differing(torch::Tensor A, float factor);
// functions: differing
// refused: undefined symbol: .*differing
#include <torch/extension.h>

torch::Tensor differing(torch::Tensor A, double factor) { return A; }
