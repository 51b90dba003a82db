// The wrapper calls abort().
// hazard: crash
// says: the wrapper called abort()
#include <torch/extension.h>

torch::Tensor aborted(torch::Tensor A) { std::abort(); }
