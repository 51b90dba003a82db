// An error of PyTorch, caught in the wrapper.
// call: caught(A.double())
// gives: "expected scalar type Float but found Double"
#include <torch/extension.h>

std::string caught(torch::Tensor A) {
    try {
        A.data_ptr<float>();
    } catch (const c10::Error& error) {
        return error.what_without_backtrace();
    }
    return "nothing";
}
