// dtype() and scalar_type() compared, printed, and asked for their size.
// call: type_facts(A)
// gives: "float Float 1 1 0 4 1"
// call: type_facts(A.half())
// gives: "c10::Half Half 0 0 1 2 1"
// call: type_facts(I)
// gives: "long int Long 0 0 0 8 0"
#include <torch/extension.h>

std::string type_facts(torch::Tensor A) {
    return c10::str(A.dtype(), " ", A.scalar_type(), " ", A.dtype() == torch::kFloat32, " ",
                    A.scalar_type() == at::ScalarType::Float, " ", A.dtype() == torch::kHalf, " ",
                    c10::elementSize(A.scalar_type()), " ", A.is_floating_point());
}
