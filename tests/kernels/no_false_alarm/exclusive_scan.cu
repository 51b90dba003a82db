// The work-efficient scan, up and down a tree.
// exclusive_scan: A.cumsum(0) - A
// launch: 1, 64, 128 * sizeof(float)

__global__ void scan_by_a_tree(const float* a, float* c, int n) {
    extern __shared__ float sums[];
    const int i = threadIdx.x;
    sums[2 * i] = 2 * i < n ? a[2 * i] : 0.0f, sums[2 * i + 1] = 2 * i + 1 < n ? a[2 * i + 1] : 0.0f;
    int distance = 1;
    for (int pairs = 64; pairs > 0; pairs /= 2, distance *= 2) {
        __syncthreads();
        if (i < pairs) sums[distance * (2 * i + 2) - 1] += sums[distance * (2 * i + 1) - 1];
    }
    __syncthreads();
    if (i == 0) sums[127] = 0;
    for (int pairs = 1; pairs <= 64; pairs *= 2) {
        distance /= 2;
        __syncthreads();
        if (i < pairs) {
            float& left = sums[distance * (2 * i + 1) - 1];
            float& right = sums[distance * (2 * i + 2) - 1];
            const float old = left;
            left = right, right += old;
        }
    }
    __syncthreads();
    for (int j = 2 * i; j < min(n, 2 * i + 2); ++j) c[j] = sums[j];
}
