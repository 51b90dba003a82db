// Each block overwrites the element that another block reads.
// size: 33
// hazard: race
// where: next-between-blocks 0 1, next-between-blocks 0 0
// says: in no fixed order: write to a different tensor, or do one of the two accesses in a separate launch

__global__ void take_next_blocks(float* c) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    c[i] = c[i + 1];  // next-between-blocks
}

torch::Tensor next_between_blocks(torch::Tensor A) {
    take_next_blocks<<<A.numel() - 1, 1>>>(A.data_ptr<float>());
    return A;
}
