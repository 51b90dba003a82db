// Results of from_blob: on a GPU, each is the memory that it was made from.

__global__ void count_up(float* c, int64_t n) {
    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) c[i] = i;
}
torch::Tensor blob_of(torch::Tensor x, int64_t bytes, int64_t n, at::ScalarType type) {
    return torch::from_blob(static_cast<char*>(x.data_ptr()) + bytes, {n}, x.options().dtype(type));
}
std::vector<torch::Tensor> twice(torch::Tensor x) {
    auto all = torch::from_blob(x.data_ptr<float>(), {x.numel()}, x.options());
    return {all, all.slice(0, 2), x};
}
std::vector<torch::Tensor> of_new(torch::Tensor x, bool both) {
    auto made = torch::empty_like(x);
    count_up<<<4, 64>>>(made.data_ptr<float>(), made.numel());
    auto part = torch::from_blob(made.data_ptr<float>() + 1, {made.numel() - 1}, made.options());
    if (both) return {part, made};
    return {part};
}
torch::Tensor of_allocated(torch::Tensor x) {
    float* memory = nullptr;
    cudaMalloc(&memory, x.numel() * sizeof(float));
    count_up<<<4, 64>>>(memory, x.numel());
    return torch::from_blob(memory, {x.numel()}, x.options());
}
torch::Tensor of_local(bool cloned) {
    float values[4] = {0, 1, 2, 3};
    auto tensor = torch::from_blob(values, {4}, torch::kFloat32);
    return cloned ? tensor.clone() : tensor;
}
int64_t offset_of_blob(torch::Tensor x) {
    return torch::from_blob(x.data_ptr<float>(), {x.numel()}, x.options()).storage_offset();
}
