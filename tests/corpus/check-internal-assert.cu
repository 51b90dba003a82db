// An assertion of the wrapper's own; its text names the file, which differs.
// call: asserted(3)
// gives: 3
// call: asserted(-3)
// raises: RuntimeError: 
#include <torch/extension.h>

int64_t asserted(int64_t n) {
    TORCH_INTERNAL_ASSERT(n >= 0, "n is negative: ", n);
    return n;
}
