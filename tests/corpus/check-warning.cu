// A warning becomes a warning in Python, and the call continues.
// call: warned(x)
// gives: 1000
// warns: n is large: 1000
// call: warned(A)
// gives: 12
#include <torch/extension.h>

int64_t warned(torch::Tensor A) {
    const volatile int64_t N = A.numel();
    if (N > 100) TORCH_WARN("n is large: ", N);
    return A.numel();
}
