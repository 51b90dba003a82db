// Block b loads b + 1 floats.

__global__ void triangle(const float* a, float* c) {
    float sum = 0;
    for (int j = 0; j <= blockIdx.x; ++j) sum += a[j];
    c[blockIdx.x] = sum;
}
torch::Tensor sums(torch::Tensor a) {
    auto c = torch::empty_like(a);
    triangle<<<a.numel(), 1>>>(a.data_ptr<float>(), c.data_ptr<float>());
    return c;
}
