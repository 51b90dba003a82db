// Floats in reverse order.
// why: The order within a warp does not matter.
// elements: 64
// launch: 1, 64
// global load 4: 2 requests, 8 sectors, ideal 8
// global store 4: 2 requests, 8 sectors, ideal 8

__global__ void backwards_kernel(const float* a, float* c, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    c[i] = a[n - 1 - i];
}
