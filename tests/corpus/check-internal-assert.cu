// The wrapper's own assertion; its message names the file, which differs between toolchains.
// call: asserted(3)
// gives: 3
// call: asserted(-3)
// raises: RuntimeError: 
#include <torch/extension.h>

int64_t asserted(int64_t n) {
    TORCH_INTERNAL_ASSERT(n >= 0, "n is negative: ", n);
    return n;
}
