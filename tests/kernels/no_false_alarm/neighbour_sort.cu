// Odd-even sort, until __syncthreads_or says that nothing changed.
// neighbour_sort: A.sort().values
// launch: 1, 128

__global__ void sort_by_neighbours(const float* a, float* c, int n) {
    __shared__ float values[128];
    const int i = threadIdx.x;
    values[i] = i < n ? a[i] : INFINITY;
    for (int round = 0;; ++round) {
        bool changed = false;
        for (int odd = 0; odd < 2; ++odd) {
            __syncthreads();
            const int j = 2 * i + odd;
            if (j + 1 < 128 && values[j] > values[j + 1]) {
                const float larger = values[j];
                values[j] = values[j + 1], values[j + 1] = larger;
                changed = true;
            }
        }
        if (!__syncthreads_or(changed)) break;
    }
    if (i < n) c[i] = values[i];
}
