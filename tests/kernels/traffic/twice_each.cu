// Two lanes load each float.
// why: 16 floats per warp, 64 bytes.
// elements: 64
// launch: 1, 64
// global load 4: 2 requests, 4 sectors, ideal 4
// global store 4: 2 requests, 8 sectors, ideal 8

__global__ void twice_each_kernel(const float* a, float* c, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    c[i] = a[i / 2];
}
