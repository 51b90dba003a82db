// A sum by a tree over words whose distance doubles in each step.
// why: 2 wavefronts each for 32, 16, 8, 4 and 2 lanes, 1 for the last: 11. Two loads and one store each.
// elements: 64
// launch: 1, 64
// global load 4: 2 requests, 8 sectors, ideal 8
// global store 4: 1 request, 1 sector, ideal 1
// shared store 4: 8 requests, 13 wavefronts, ideal 8
// shared load 4: 13 requests, 23 wavefronts, ideal 13

__global__ void spread_tree_kernel(const float* a, float* c, int n) {
    __shared__ float sums[64];
    const int i = threadIdx.x;
    sums[i] = a[i];
    for (int apart = 1; apart < 64; apart *= 2) {
        __syncthreads();
        const int j = 2 * apart * i;
        if (j < 64) sums[j] = sums[j] + sums[j + apart];
    }
    if (i == 0) *c = sums[0];
}
