// Changes in place, shared memory and new memory.
#include <torch/extension.h>

torch::Tensor increase_(torch::Tensor A) {
    float* a = A.data_ptr<float>();
    for (int64_t i = 0; i < A.numel(); ++i) a[i] += 1;
    return A;
}

void copy_into(torch::Tensor A, torch::Tensor B) { B.copy_(A); }

bool same_memory(torch::Tensor A, torch::Tensor B) { return A.data_ptr() == B.data_ptr(); }

torch::Tensor megabyte(torch::Tensor A, bool fail) {
    auto B = torch::empty({1 << 18}, A.options());
    std::vector<torch::Tensor> several{B, B, torch::empty_like(B)};
    TORCH_CHECK(!fail, "after allocating");
    return several[2];
}

torch::Tensor unwritten(torch::Tensor A) { return torch::empty_like(A); }
