// Half of a tile is read without having been filled.
// size: 64
// hazard: uninitialised-read
// where: unfilled 63
// says: tile where nothing was written before, element 63

__global__ void part_of_a_tile(const float* a, float* c) {
    __shared__ float tile[64];
    if (threadIdx.x < 32) tile[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    c[threadIdx.x] = tile[threadIdx.x];  // unfilled
}

torch::Tensor unfilled(torch::Tensor A) {
    auto C = torch::empty_like(A);
    part_of_a_tile<<<1, 64>>>(A.data_ptr<float>(), C.data_ptr<float>());
    return C;
}
