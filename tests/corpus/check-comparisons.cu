// TORCH_CHECK_EQ and similar macros, whose messages begin with the time.
// call: compared(4, 4)
// gives: True
// call: compared(4, 5)
// raises: RuntimeError: 
#include <torch/extension.h>

bool compared(int64_t a, int64_t b) {
    TORCH_CHECK_EQ(a, b);
    TORCH_CHECK_LE(a, b);
    TORCH_CHECK_NE(a, b + 1);
    return true;
}
