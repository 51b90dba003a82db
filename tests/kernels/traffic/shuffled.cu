// Lanes load all over a buffer, and store in another order.
// why: 37 i takes each of 64 places once: a warp loads from all 8 sectors. i ^ 21 stays in the warp's 128 bytes.
// elements: 64
// launch: 1, 64
// global load 4: 2 requests, 16 sectors, ideal 8
// global store 4: 2 requests, 8 sectors, ideal 8

__global__ void shuffled_kernel(const float* a, float* c, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    c[i ^ 21] = a[i * 37 % 64];
}
