// memset and memcpy in a kernel.
// copied_in_kernels: A
// launch: 1, 64

__global__ void copy_threes(const float* a, float* c, int n) {
    __shared__ float zeros[8][8];
    if (threadIdx.x == 0) memset(zeros, 0, sizeof zeros);
    __syncthreads();
    const int at = 3 * threadIdx.x;
    if (at < n) memcpy(c + at, a + at, min(3, n - at) * sizeof(float));
    if (at < n) c[at] += zeros[threadIdx.x % 8][threadIdx.x / 8];
}
