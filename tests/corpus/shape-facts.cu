// What a tensor reports about its shape.
// call: shape_facts(A.t())
// gives: "2 12 [4, 3] [1, 4] 0 4 3 4 4 48 0 2"
#include <torch/extension.h>

std::string shape_facts(torch::Tensor A) {
    return c10::str(A.dim(), " ", A.numel(), " ", A.sizes(), " ", A.strides(), " ", A.is_contiguous(), " ", A.size(0), " ",
                    A.size(-1), " ", A.stride(-1), " ", A.element_size(), " ", A.nbytes(), " ", A.storage_offset(), " ",
                    A.ndimension());
}
