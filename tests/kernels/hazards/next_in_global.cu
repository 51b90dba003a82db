// Each thread of a block overwrites the element that its neighbour reads.
// size: 33
// hazard: race
// where: next-in-global 1, next-in-global 0
// says: between its read and its write

__global__ void take_next(float* c) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    c[i] = c[i + 1];  // next-in-global
}

torch::Tensor next_in_global(torch::Tensor A) {
    take_next<<<1, A.numel() - 1>>>(A.data_ptr<float>());
    return A;
}
