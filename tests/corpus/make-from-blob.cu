// A table on the host, wrapped and moved to the device.
// call: looked_up(I)
// gives: torch.tensor([0.5, 2.0, 8.0])[I]
#include <torch/extension.h>

__global__ void looked_up_kernel(const float* table, const int64_t* I, float* C) {
    C[threadIdx.x] = table[I[threadIdx.x]];
}

torch::Tensor looked_up(torch::Tensor I) {
    float table[] = {0.5f, 2.0f, 8.0f};
    auto on_device = torch::from_blob(table, {3}, torch::kFloat32).to(I.device());
    auto C = torch::empty(I.sizes(), I.options().dtype(torch::kFloat32));
    looked_up_kernel<<<1, I.numel()>>>(on_device.data_ptr<float>(), I.data_ptr<int64_t>(), C.data_ptr<float>());
    return C;
}
