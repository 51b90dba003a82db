// Launches that swap two buffers.
// ping_pong: pinged(A)

__global__ void ping(const float* a, float* c, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = (a[i] + a[(i + 1) % n]) / 2;
}
torch::Tensor ping_pong(torch::Tensor A) {
    torch::Tensor buffers[2] = {A.clone(), torch::empty_like(A)};
    for (int round = 0; round < 4; ++round) {
        ping<<<2, 64>>>(buffers[round % 2].data_ptr<float>(), buffers[1 - round % 2].data_ptr<float>(),
                        A.numel());
    }
    return buffers[0];
}
