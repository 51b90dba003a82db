// Lanes skip rounds of a loop by continue.
// why: In each of 4 rounds 16 lanes load, spread over 4 sectors.
// elements: 128
// launch: 1, 32
// global load 4: 4 requests, 16 sectors, ideal 8
// global store 4: 1 request, 4 sectors, ideal 4

__global__ void skipping_kernel(const float* a, float* c, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int j = 0; j < 4; ++j) {
        if ((i + j) % 2) continue;
        sum += a[32 * j + i];
    }
    c[i] = sum;
}
