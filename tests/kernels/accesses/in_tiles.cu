// A padded tile, filled by rows, read by a column, and stored by one of two blocks.
// launch: 2, dim3(16, 16), 64

__global__ void tiles(const float* in, float* out, int n) {
    __shared__ float tile[16][17];
    extern __shared__ float row[];
    tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * 16 + threadIdx.x];  // filled
    __syncthreads();
    if (threadIdx.y == 0) row[threadIdx.x] = tile[threadIdx.x][1];  // a column
    __syncthreads();
    if (blockIdx.x == 0) out[threadIdx.y * 16 + threadIdx.x] = row[threadIdx.x];  // spread
}
