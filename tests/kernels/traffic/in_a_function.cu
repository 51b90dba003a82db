// The branch is in a device function.
// why: All lanes load both floats, since the first one is above 0.
// elements: 64
// launch: 1, 32
// global load 4: 2 requests, 8 sectors, ideal 8
// global store 4: 1 request, 4 sectors, ideal 4

__device__ float larger(const float* a, int i) { return a[i] > 0 ? a[i + 32] : 0; }
__global__ void in_a_function_kernel(const float* a, float* c, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    c[i] = larger(a, i);
}
