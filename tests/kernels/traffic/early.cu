// Lanes 20 to 31 return early.
// why: Lanes 0 to 19 access 80 bytes.
// elements: 32
// launch: 1, 32
// global load 4: 1 request, 3 sectors, ideal 3
// global store 4: 1 request, 3 sectors, ideal 3

__global__ void early_kernel(const float* a, float* c, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= 20) return;
    c[i] = a[i];
}
