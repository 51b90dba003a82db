// Three loads of neighbours.
// why: The loads of 128 bytes begin at bytes 0, 4 and 8: 4 + 5 + 5 sectors.
// elements: 34
// launch: 1, 32
// global load 4: 3 requests, 14 sectors, ideal 12
// global store 4: 1 request, 4 sectors, ideal 4

__global__ void stencil_kernel(const float* a, float* c, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    c[i] = a[i] + a[i + 1] + a[i + 2];
}
