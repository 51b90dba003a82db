// The old macros.
// call: asserted_with_message(3)
// gives: 3
// call: asserted_with_message(0)
// raises: RuntimeError: 
// call: asserted_with_message(-1)
// raises: RuntimeError: n is -1
#include <torch/extension.h>

int64_t asserted_with_message(int64_t n) {
    AT_ASSERTM(n != 0, "n must not be 0");
    if (n < 0) AT_ERROR("n is ", n);
    return n;
}
