// Each thread overwrites the shared element that its neighbour reads.
// size: 32
// hazard: race
// where: next-in-shared 1, next-in-shared 0
// says: missing before line {next-in-shared} runs again, or between its read and its write

__global__ void next_shared(float* c) {
    __shared__ float tile[33];
    tile[threadIdx.x] = c[threadIdx.x];
    if (threadIdx.x == 0) tile[32] = 0;
    __syncthreads();
    tile[threadIdx.x] = tile[threadIdx.x + 1];  // next-in-shared
    __syncthreads();
    c[threadIdx.x] = tile[threadIdx.x];
}

torch::Tensor next_in_shared(torch::Tensor A) {
    next_shared<<<1, 32>>>(A.data_ptr<float>());
    return A;
}
