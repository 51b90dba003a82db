// Sets of types that fewer wrappers use, also as cases of a switch.
// call: in_three_more(A > 0), in_three_more(I), in_three_more(A.half()), in_three_more(A.bfloat16())
// gives: (1, 8, 2, 2)
// call: in_reduced(A.half()), in_reduced(A.bfloat16())
// gives: (2, 2)
// call: in_reduced(A)
// raises: NotImplementedError: "in_reduced" not implemented for 'Float'
// call: in_integral_and(A > 0), in_integral_and(I)
// gives: (1, 8)
// call: in_integral_and(A)
// raises: NotImplementedError: "in_integral_and" not implemented for 'Float'
// call: in_floating_and_three(A.double()), in_floating_and_three(I)
// gives: (8, 8)
// call: in_floating_and_three(I.int())
// raises: NotImplementedError: "in_floating_and_three" not implemented for 'Int'
// call: in_index(I), in_index(I.int())
// gives: (8, 4)
// call: in_index(A)
// raises: NotImplementedError: "in_index" not implemented for 'Float'
// call: in_parts(A), in_parts(I), in_parts(A.half())
// gives: (1.5, 0.0, 2.5)
#include <torch/extension.h>

int64_t in_three_more(torch::Tensor A) {
    return AT_DISPATCH_ALL_TYPES_AND3(at::kHalf, at::kBFloat16, at::kBool, A.scalar_type(), "in_three_more",
                                      [&] { return static_cast<int64_t>(sizeof(scalar_t)); });
}

int64_t in_reduced(torch::Tensor A) {
    return AT_DISPATCH_REDUCED_FLOATING_TYPES(A.scalar_type(), "in_reduced",
                                              [&] { return static_cast<int64_t>(sizeof(scalar_t)); });
}

int64_t in_integral_and(torch::Tensor A) {
    return AT_DISPATCH_INTEGRAL_TYPES_AND(at::kBool, A.scalar_type(), "in_integral_and",
                                          [&] { return static_cast<int64_t>(sizeof(scalar_t)); });
}

int64_t in_floating_and_three(torch::Tensor A) {
    return AT_DISPATCH_FLOATING_TYPES_AND3(at::kHalf, at::kBFloat16, at::kLong, A.scalar_type(), "in_floating_and_three",
                                           [&] { return static_cast<int64_t>(sizeof(scalar_t)); });
}

int64_t in_index(torch::Tensor A) {
    return AT_DISPATCH_INDEX_TYPES(A.scalar_type(), "in_index", [&] { return static_cast<int64_t>(sizeof(index_t)); });
}

double in_parts(torch::Tensor A) {
    return AT_DISPATCH_SWITCH(A.scalar_type(), "in_parts",
                              AT_DISPATCH_CASE_FLOATING_TYPES([&] { return static_cast<double>(scalar_t(1.5)); })
                              AT_DISPATCH_CASE_INTEGRAL_TYPES([&] { return static_cast<double>(scalar_t(0.5)); })
                              AT_DISPATCH_CASE(at::kHalf, [&] { return static_cast<double>(scalar_t(2.5)); }));
}
