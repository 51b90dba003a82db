// Threads of several blocks change an element by an operation that is atomic only in a block.
// size: 64
// hazard: race
// where: block-atomic 0 1, block-atomic 31 0
// says: several threads change it in line {block-atomic} .* or use atomicAdd

__global__ void sum_in_blocks(const float* a, float* c) {
    atomicAdd_block(c, a[blockIdx.x * blockDim.x + threadIdx.x]);  // block-atomic
}

torch::Tensor atomic_in_each_block(torch::Tensor A) {
    auto C = torch::zeros({1}, A.options());
    sum_in_blocks<<<2, 32>>>(A.data_ptr<float>(), C.data_ptr<float>());
    return C;
}
