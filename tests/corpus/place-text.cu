// The device in a message, and a result on another device than the inputs.
// call: place_of(A)
// gives: "cuda:0 cuda 0"
// call: place_of(host(A))
// gives: "cpu cpu -1"
#include <torch/extension.h>

std::string place_of(torch::Tensor A) {
    const int index = A.get_device();  // PyTorch's type is a char, and printed as one
    return c10::str(A.device(), " ", A.device().type(), " ", index);
}
