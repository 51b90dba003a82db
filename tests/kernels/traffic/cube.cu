// A block of three dimensions.
// why: A warp is 8 rows of 4 floats, 16 bytes in 32: one sector each.
// elements: 256
// launch: 1, dim3(4, 4, 4)
// global load 4: 2 requests, 16 sectors, ideal 8
// global store 4: 2 requests, 16 sectors, ideal 8

__global__ void cube_kernel(const float* a, float* c, int n) {
    const int i = (threadIdx.z * 8 + threadIdx.y) * 8 + threadIdx.x;
    c[i] = a[i];
}
