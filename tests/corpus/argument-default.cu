// A default argument of C++ is not available in Python.
// call: with_default(A, 2.0)
// gives: A
// call: with_default(A)
// raises: TypeError: with_default(): incompatible function arguments
// call: with_default(A=A, factor=2.0)
// raises: TypeError: 
#include <torch/extension.h>

torch::Tensor with_default(torch::Tensor A, double factor = 1.0) { return A; }
