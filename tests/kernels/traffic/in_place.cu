// An output that is loaded too.
// why: c is loaded as well as a.
// elements: 64
// launch: 1, 64
// global load 4: 4 requests, 16 sectors, ideal 16
// global store 4: 2 requests, 8 sectors, ideal 8

__global__ void in_place_kernel(const float* a, float* c, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    c[i] += __ldg(a + i);
}
