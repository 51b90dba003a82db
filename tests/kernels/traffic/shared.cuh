// What several kernels of this folder share.

struct Point {
    float x, y, z;
};

template <int kPad>
__device__ void transpose(const float* a, float* c) {
    __shared__ float tile[32][32 + kPad];
    tile[threadIdx.y][threadIdx.x] = a[threadIdx.y * 32 + threadIdx.x];
    __syncthreads();
    c[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}

// Each thread of a half warp sums up its own row of 16 words; the halves read the same words.
template <int kPad>
__device__ void sum_rows(const float* a, float* c, int n) {
    __shared__ float tile[16][16 + kPad];
    for (int i = threadIdx.x; i < n; i += 32) tile[i / 16][i % 16] = a[i];
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < 16; ++k) sum += tile[threadIdx.x % 16][k];
    c[threadIdx.x] = sum;
}
