// Every eighth float.
// why: Each lane has a sector of its own.
// elements: 512
// launch: 1, 64
// global load 4: 2 requests, 64 sectors, ideal 8
// global store 4: 2 requests, 8 sectors, ideal 8

__global__ void far_apart_kernel(const float* a, float* c, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    c[i] = a[8 * i];
}
