// Every other float.
// why: A warp's 32 floats are spread over 256 bytes, 8 sectors; packed they would fill 4.
// elements: 128
// launch: 1, 64
// global load 4: 2 requests, 16 sectors, ideal 8
// global store 4: 2 requests, 8 sectors, ideal 8

__global__ void every_other_kernel(const float* a, float* c, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    c[i] = a[2 * i];
}
