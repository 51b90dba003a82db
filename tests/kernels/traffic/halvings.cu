// Lane i loops as often as i can be halved.
// why: In round r the lanes from 2^r on load: 31, 30, 28, 24 and 16 lanes, from 4, 4, 4, 3 and 2 sectors.
// elements: 160
// launch: 1, 32
// global load 4: 5 requests, 17 sectors, ideal 17
// global store 4: 1 request, 4 sectors, ideal 4

__global__ void halvings_kernel(const float* a, float* c, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int j = i, r = 0; j > 0; j /= 2, ++r) sum += a[32 * r + i];
    c[i] = sum;
}
