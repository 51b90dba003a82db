// Neighbouring floats that do not start at a sector.
// why: Bytes 4 to 131 touch sectors 0 to 4, bytes 132 to 259 touch 4 to 8.
// elements: 65
// launch: 1, 64
// global load 4: 2 requests, 10 sectors, ideal 8
// global store 4: 2 requests, 8 sectors, ideal 8

__global__ void one_off_kernel(const float* a, float* c, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    c[i] = a[i + 1];
}
