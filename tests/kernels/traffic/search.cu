// Lanes return from within a loop.
// why: The lanes leave in four groups, so the line runs four times, with 8 neighbours each.
// elements: 32
// launch: 1, 32
// global load 4: 4 requests, 4 sectors, ideal 4
// global store 4: 4 requests, 4 sectors, ideal 4

__global__ void search_kernel(const float* a, float* c, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int j = 0; j < 4; ++j) {
        if (j == i / 8) {
            c[i] = a[i];
            return;
        }
    }
}
