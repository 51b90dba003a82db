// An inclusive scan in two buffers of shared memory.
// scan: A.cumsum(0)
// launch: 1, 128

__global__ void inclusive_scan(const float* a, float* c, int n) {
    __shared__ float buffers[2][128];
    int from = 0;
    const int i = threadIdx.x;
    buffers[0][i] = i < n ? a[i] : 0.0f;
    for (int distance = 1; distance < 128; distance *= 2, from = 1 - from) {
        __syncthreads();
        buffers[1 - from][i] = buffers[from][i] + (i >= distance ? buffers[from][i - distance] : 0.0f);
    }
    if (i < n) c[i] = buffers[from][i];
}
