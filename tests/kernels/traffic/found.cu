// Lanes leave a loop by break, after 0 to 3 rounds.
// why: In the loop 24, 16 and 8 lanes store, each time to all 4 sectors: ideal 3, 2 and 1. Then all 32 store: 4.
// elements: 256
// launch: 1, 32
// global load 4: 1 request, 4 sectors, ideal 4
// global store 4: 4 requests, 16 sectors, ideal 10

__global__ void found_kernel(const float* a, float* c, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    int j = 0;
    while (true) {
        if (j == i % 4) break;
        c[32 * j + i] = 1;
        ++j;
    }
    c[128 + i] = a[i];
}
