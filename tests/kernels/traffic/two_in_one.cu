// Two arrays in one dynamic allocation.
// why: Words 40 + 16 j, j < 8, are in two banks: 4 wavefronts. 8 lanes store them, and 4 lanes load each of them.
// elements: 32
// launch: 1, 32, 200 * sizeof(float)
// global load 4: 1 request, 4 sectors, ideal 4
// global store 4: 1 request, 4 sectors, ideal 4
// shared store 4: 2 requests, 5 wavefronts, ideal 2
// shared load 4: 2 requests, 5 wavefronts, ideal 2

__global__ void two_in_one_kernel(const float* a, float* c, int n) {
    extern __shared__ float both[];
    float* second = both + 40;
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    both[i] = a[i];
    if (i < 8) second[16 * i] = 0;
    __syncthreads();
    c[i] = both[i] + second[16 * (i / 4)];
}
