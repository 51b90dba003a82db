// Sums over groups of eight lanes by butterflies.
// butterflies: by_eights(A)
// launch: 2, 64

__global__ void sum_by_butterflies(const float* a, float* c, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = i < n ? a[i] : 0.0f;
    for (int mask = 4; mask > 0; mask /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, mask, 8);
    if (i < n) c[i] = sum;
}
