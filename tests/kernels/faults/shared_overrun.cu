// Stores into dynamic shared memory, or past its end.

__global__ void shared_reach(int n) {
    extern __shared__ float tile[];
    for (int i = threadIdx.x; i < n; i += blockDim.x) tile[i] = 1.0f;
}

torch::Tensor shared_overrun(torch::Tensor A, int n, int bytes) {
    shared_reach<<<2, 32, bytes>>>(n);
    return A;
}
