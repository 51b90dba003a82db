// A sum by a tree over neighbouring threads.
// why: 2 warps store; then 32, 16, 8, 4, 2, 1 lanes load twice and store; the last lane loads the sum.
// elements: 64
// launch: 1, 64
// global load 4: 2 requests, 8 sectors, ideal 8
// global store 4: 1 request, 1 sector, ideal 1
// shared store 4: 8 requests, 8 wavefronts, ideal 8
// shared load 4: 13 requests, 13 wavefronts, ideal 13

__global__ void tree_kernel(const float* a, float* c, int n) {
    __shared__ float sums[64];
    const int i = threadIdx.x;
    sums[i] = a[i];
    for (int half = 32; half > 0; half /= 2) {
        __syncthreads();
        if (i < half) sums[i] = sums[i] + sums[i + half];
    }
    if (i == 0) *c = sums[0];
}
