// Lane i loops i + 1 times.
// why: In round j the lanes from j on load: 4 sectors for j < 8, then 3, 2 and 1; 8 (4 + 3 + 2 + 1) = 80.
// elements: 1024
// launch: 1, 32
// global load 4: 32 requests, 80 sectors, ideal 80
// global store 4: 1 request, 4 sectors, ideal 4

__global__ void triangle_kernel(const float* a, float* c, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int j = 0; j <= i; ++j) sum += a[32 * j + i];
    c[i] = sum;
}
