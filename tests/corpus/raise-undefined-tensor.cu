// A tensor that was never made is asked for its size.
// call: size_of_nothing()
// raises: RuntimeError: 
#include <torch/extension.h>

int64_t size_of_nothing() {
    torch::Tensor A;
    return A.data_ptr<float>() == nullptr;
}
