// A loop in a loop, with a number of rounds that differs between lanes.
// why: In each of 3 rounds 21 lanes (84 bytes), 10 (40 bytes) and all 32 load, each from 4 sectors: ideal 3 + 2 + 4.
// elements: 256
// launch: 1, 32
// global load 4: 9 requests, 36 sectors, ideal 27
// global store 4: 1 request, 4 sectors, ideal 4

__global__ void nested_kernel(const float* a, float* c, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int j = 0; j < 3; ++j) {
        for (int k = 0; k < i % 3; ++k) sum += a[32 * k + i];
        sum *= a[96 + 32 * j + i];
    }
    c[i] = sum;
}
