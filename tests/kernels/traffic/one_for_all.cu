// All threads load the same float.
// why: One sector per warp holds it.
// elements: 64
// launch: 1, 64
// global load 4: 2 requests, 2 sectors, ideal 2
// global store 4: 2 requests, 8 sectors, ideal 8

__global__ void one_for_all_kernel(const float* a, float* c, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    c[i] = a[0];
}
