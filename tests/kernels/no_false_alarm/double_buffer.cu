// The next tile is loaded while this one is used.
// double_buffer: within_blocks(A)

__global__ void next_while_this(const float* a, float* c, int n) {
    __shared__ float tiles[2][64];
    int now = 0;
    tiles[0][threadIdx.x] = threadIdx.x < n ? a[threadIdx.x] : 0.0f;
    for (int from = 0; from < n; from += 64, now = 1 - now) {
        __syncthreads();
        const int next = from + 64 + threadIdx.x;
        if (from + 64 < n) tiles[1 - now][threadIdx.x] = next < n ? a[next] : 0.0f;
        const int i = from + threadIdx.x;
        if (i < n) c[i] = tiles[now][threadIdx.x] + tiles[now][63 - threadIdx.x];
    }
}
torch::Tensor double_buffer(torch::Tensor A) {
    auto C = torch::empty_like(A);
    next_while_this<<<1, 64>>>(A.data_ptr<float>(), C.data_ptr<float>(), A.numel());
    return C;
}
