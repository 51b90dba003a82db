// Blocks of a warp and a half.
// why: In each of 2 blocks a whole warp takes 4 sectors and half of one takes 2.
// elements: 96
// launch: (A.numel() + 47) / 48, 48
// global load 4: 4 requests, 12 sectors, ideal 12
// global store 4: 4 requests, 12 sectors, ideal 12

__global__ void warp_and_a_half_kernel(const float* a, float* c, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i];
}
