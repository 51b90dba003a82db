// The pointers of a list of tensors, in a struct passed to one kernel.
// call: summed([x, y, x])
// gives: x + y + x
#include <torch/extension.h>

struct Pointers {
    const float* of[4];
    int count;
};

__global__ void summed_kernel(Pointers inputs, float* C, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = 0.0f;
    for (int k = 0; k < inputs.count; ++k) sum += inputs.of[k][i];
    C[i] = sum;
}

torch::Tensor summed(std::vector<torch::Tensor> inputs) {
    Pointers pointers{};
    TORCH_CHECK(inputs.size() <= 4, "at most 4 tensors");
    for (const auto& input : inputs) pointers.of[pointers.count++] = input.data_ptr<float>();
    auto C = torch::empty_like(inputs.front());
    int n = C.numel();
    summed_kernel<<<(n + 255) / 256, 256>>>(pointers, C.data_ptr<float>(), n);
    return C;
}
