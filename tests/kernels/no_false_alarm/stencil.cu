// A stencil with __constant__ weights, a __device__ table that later launches read, and memory of cudaMalloc.
// stencil: blocks_of_three(A)
// two_launches: torch.arange(63.0, -1, -1)
// scratch: blocks_of_three(torch.arange(63.0, -1, -1))

__constant__ float weights[3] = {0.25f, 0.5f, 0.25f};
__global__ void three_point(const float* a, float* c, int n) {
    __shared__ float tile[66];
    const int i = blockIdx.x * 64 + threadIdx.x;
    tile[threadIdx.x + 1] = i < n ? a[i] : 0.0f;
    if (threadIdx.x == 0) tile[0] = i > 0 ? a[i - 1] : 0.0f;
    if (threadIdx.x == 63) tile[65] = i + 1 < n ? a[i + 1] : 0.0f;
    __syncthreads();
    if (i >= n) return;
    float sum = 0;
#pragma unroll
    for (int d = 0; d < 3; ++d) sum += weights[d] * tile[threadIdx.x + d];
    c[i] = sum;
}
torch::Tensor stencil(torch::Tensor A) {
    auto C = torch::empty_like(A);
    three_point<<<(A.numel() + 63) / 64, 64>>>(A.data_ptr<float>(), C.data_ptr<float>(), A.numel());
    return C;
}

__device__ float table[64];
__global__ void fill_table() { table[threadIdx.x] = threadIdx.x; }
__global__ void use_table(float* c) { c[threadIdx.x] = table[63 - threadIdx.x]; }
torch::Tensor two_launches(torch::Tensor A) {
    auto C = torch::empty({64}, A.options());
    fill_table<<<1, 64>>>();
    use_table<<<2, 64>>>(C.data_ptr<float>());
    C.fill_(1);
    use_table<<<1, 64>>>(C.data_ptr<float>());
    return C;
}

torch::Tensor scratch(torch::Tensor A) {
    float* memory = nullptr;
    TORCH_CHECK(cudaMalloc(&memory, 64 * sizeof(float)) == cudaSuccess);
    cudaMemset(memory, 0, 64 * sizeof(float));
    fill_table<<<1, 64>>>();
    use_table<<<1, 64>>>(memory);
    auto C = torch::empty({64}, A.options());
    three_point<<<1, 64>>>(memory, C.data_ptr<float>(), 64);
    TORCH_CHECK(cudaFree(memory) == cudaSuccess);
    return C;
}
