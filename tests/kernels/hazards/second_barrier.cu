// A tile is filled again without a barrier after it is read.
// size: 128
// hazard: race
// where: second-loads 0, second-stores 63
// says: missing after line {second-loads}, before line {second-stores} runs again

__global__ void reverse_in_a_loop(const float* a, float* c, int n) {
    __shared__ float tile[64];
    for (int from = 0; from < n; from += 64) {
        tile[threadIdx.x] = a[from + threadIdx.x];  // second-stores
        __syncthreads();
        c[from + threadIdx.x] = tile[63 - threadIdx.x];  // second-loads
    }
}

torch::Tensor second_barrier(torch::Tensor A) {
    auto C = torch::empty_like(A);
    reverse_in_a_loop<<<1, 64>>>(A.data_ptr<float>(), C.data_ptr<float>(), A.numel());
    return C;
}
