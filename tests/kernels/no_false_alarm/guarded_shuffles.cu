// Lanes that read a lane without a value, and do not use what they read.
// neighbours_by_shuffles: A + F.pad(A[1:], (0, 1)) * (torch.arange(len(A)) % 32 < 31)

__global__ void add_the_next_lane(const float* a, float* c, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const unsigned mask = __activemask();
    const float next = __shfl_down_sync(mask, a[i], 1);
    const bool has_next = threadIdx.x % 32 < 31 && i + 1 < n;
    c[i] = has_next ? a[i] + next : a[i];
}

torch::Tensor neighbours_by_shuffles(torch::Tensor A) {
    auto C = torch::empty_like(A);
    add_the_next_lane<<<2, 64>>>(A.data_ptr<float>(), C.data_ptr<float>(), A.numel());
    return C;
}
