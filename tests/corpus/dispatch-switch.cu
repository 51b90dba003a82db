// The macros that the dispatch macros consist of.
// call: type_name(A) + type_name(I)
// gives: "floatlong"
// call: type_name(A.double())
// raises: NotImplementedError: "type_name" not implemented for 'Double'
#include <torch/extension.h>

std::string type_name(torch::Tensor A) {
    return AT_DISPATCH_SWITCH(A.scalar_type(), "type_name",
                              AT_DISPATCH_CASE(at::kFloat, [&] { return std::string("float"); })
                              AT_DISPATCH_CASE(at::kLong, [&] { return std::string(sizeof(scalar_t) == 8 ? "long" : "?"); }));
}
