// A block reads what another block of the same launch writes.
// size: 4
// hazard: race
// where: blocks-load 0 1, blocks-store 0 0
// says: blocks run in no fixed order

__global__ void pass_on(const float* a, float* b, float* c) {
    b[blockIdx.x] = a[blockIdx.x];  // blocks-store
    __syncthreads();
    c[blockIdx.x] = blockIdx.x ? b[blockIdx.x - 1] : 0.0f;  // blocks-load
}

torch::Tensor blocks(torch::Tensor A) {
    auto B = torch::empty_like(A), C = torch::empty_like(A);
    pass_on<<<A.numel(), 1>>>(A.data_ptr<float>(), B.data_ptr<float>(), C.data_ptr<float>());
    return C;
}
