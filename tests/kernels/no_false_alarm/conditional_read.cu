// A read that no thread reaches is not moved before the loop either.
// conditional_read: 2 * A
// launch: 1, 64

__global__ void never_read(const float* a, float* c, int n) {
    __shared__ union {
        float quads[4];
        int unset[4];
    } both;
    if (threadIdx.x == 0) both.quads[0] = 2.0f;
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        c[i] = a[i] > 1e30f ? both.unset[3] : a[i] * both.quads[0];
}
