// Each thread has its own array, with indices known only at run time.
// local_memory: own(A)

__global__ void own_arrays(const float* a, float* c, int n, int64_t stride) {
    float values[4] = {};
    const float signs[2] = {1.0f, -1.0f};
    for (int i = 0; i < n; ++i) values[i % 4] += a[i * stride] * signs[i % 2];
    c[threadIdx.x] = values[threadIdx.x % 4];
}
torch::Tensor local_memory(torch::Tensor A) {
    auto C = torch::empty({8}, A.options());
    own_arrays<<<1, 8>>>(A.data_ptr<float>(), C.data_ptr<float>(), A.numel(), 1);
    return C;
}
