// A column index reaches into the next row of a shared array.
// size: 32
// hazard: out-of-bounds
// where: row 8
// says: uses index 8 in an array of type 'float\[8\]'

__global__ void next_row(float* c) {
    __shared__ float tile[4][8];
    tile[threadIdx.x / 9][threadIdx.x % 9] = 1.0f;  // row
    __syncthreads();
    c[threadIdx.x] = tile[0][0];
}

torch::Tensor row(torch::Tensor A) {
    next_row<<<1, 32>>>(A.data_ptr<float>());
    return A;
}
