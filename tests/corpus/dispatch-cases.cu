// The cases of sets of types in a switch.
// call: in_parts(A), in_parts(I), in_parts(A.half())
// gives: (1.5, 0.0, 2.5)
#include <torch/extension.h>

double in_parts(torch::Tensor A) {
    return AT_DISPATCH_SWITCH(A.scalar_type(), "in_parts",
                              AT_DISPATCH_CASE_FLOATING_TYPES([&] { return static_cast<double>(scalar_t(1.5)); })
                              AT_DISPATCH_CASE_INTEGRAL_TYPES([&] { return static_cast<double>(scalar_t(0.5)); })
                              AT_DISPATCH_CASE(at::kHalf, [&] { return static_cast<double>(scalar_t(2.5)); }));
}
