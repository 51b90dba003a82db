// One element per thread; one launch, or two launches, the second of which reads what the first has written.

__global__ void add_one(const float* a, float* c, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + 1;
}
torch::Tensor plus_one(torch::Tensor a) {
    auto c = torch::empty_like(a);
    add_one<<<(a.numel() + 63) / 64, 64>>>(a.data_ptr<float>(), c.data_ptr<float>(), a.numel());
    return c;
}
torch::Tensor plus_two(torch::Tensor a) {
    auto b = torch::empty_like(a), c = torch::empty_like(a);
    add_one<<<(a.numel() + 63) / 64, 64>>>(a.data_ptr<float>(), b.data_ptr<float>(), a.numel());
    add_one<<<(a.numel() + 31) / 32, 32>>>(b.data_ptr<float>(), c.data_ptr<float>(), a.numel());
    return c;
}
