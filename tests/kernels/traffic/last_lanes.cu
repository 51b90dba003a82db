// Only the last 12 lanes take part.
// why: Bytes 80 to 127 are in sectors 2 and 3.
// elements: 32
// launch: 1, 32
// global load 4: 1 request, 2 sectors, ideal 2
// global store 4: 1 request, 2 sectors, ideal 2

__global__ void last_lanes_kernel(const float* a, float* c, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= 20) c[i] = a[i];
}
