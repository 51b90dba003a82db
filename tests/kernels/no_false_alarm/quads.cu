// Four floats at once and a tail; also in place, and in memory that is kept between calls.
// quads: A + 1
// in_place: A + 1
// kept_memory: A + 3

__global__ void add_quads(const float* a, float* c, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 4) {
        float4 v = reinterpret_cast<const float4*>(a)[i];
        v.x += 1, v.y += 1, v.z += 1, v.w += 1;
        reinterpret_cast<float4*>(c)[i] = v;
    } else if (i < n / 4 + n % 4) {
        const int tail = n / 4 * 4 + i - n / 4;
        c[tail] = a[tail] + 1;
    }
}
torch::Tensor quads(torch::Tensor A) {
    auto C = torch::empty_like(A);
    add_quads<<<2, 128>>>(A.data_ptr<float>(), C.data_ptr<float>(), A.numel());
    return C;
}

torch::Tensor in_place(torch::Tensor A) {
    add_quads<<<2, 128>>>(A.data_ptr<float>(), A.data_ptr<float>(), A.numel());
    return A;
}

torch::Tensor kept_memory(torch::Tensor A) {
    static torch::Tensor kept = torch::zeros({1000}, A.options());
    static float* allocated = nullptr;
    if (!allocated) TORCH_CHECK(cudaMalloc(&allocated, 1000 * sizeof(float)) == cudaSuccess);
    auto C = torch::empty_like(A);
    add_quads<<<2, 128>>>(A.data_ptr<float>(), kept.data_ptr<float>(), A.numel());
    add_quads<<<2, 128>>>(kept.data_ptr<float>(), allocated, A.numel());
    add_quads<<<2, 128>>>(allocated, C.data_ptr<float>(), A.numel());
    return C;
}
