// A loop that checks its condition at the end.
// why: All lanes load once, and the upper 16 lanes load once more.
// elements: 64
// launch: 1, 32
// global load 4: 2 requests, 6 sectors, ideal 6
// global store 4: 1 request, 4 sectors, ideal 4

__global__ void at_least_once_kernel(const float* a, float* c, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    int j = 0;
    float sum = 0;
    do {
        sum += a[32 * j + i];
    } while (++j < i / 16 * 2);
    c[i] = sum;
}
