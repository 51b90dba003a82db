// The wrapper's own backward function.
// call: identity_with_gradient(A)
// gives: A
// lacking in nvcc, emulator: PyTorch's own load_inline
#include <torch/extension.h>

struct Identity : public torch::autograd::Function<Identity> {
    static torch::Tensor forward(torch::autograd::AutogradContext* context, torch::Tensor A) { return A.clone(); }
    static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                   torch::autograd::variable_list gradients) {
        return {gradients[0]};
    }
};

torch::Tensor identity_with_gradient(torch::Tensor A) { return Identity::apply(A); }
