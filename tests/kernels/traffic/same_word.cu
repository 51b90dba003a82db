// Eight lanes load the same word of shared memory.
// why: Lanes that read the same word are served together.
// elements: 64
// launch: 1, 64
// global load 4: 2 requests, 8 sectors, ideal 8
// global store 4: 2 requests, 8 sectors, ideal 8
// shared store 4: 2 requests, 2 wavefronts, ideal 2
// shared load 4: 2 requests, 2 wavefronts, ideal 2

__global__ void same_word_kernel(const float* a, float* c, int n) {
    __shared__ float tile[64];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    tile[i] = a[i];
    __syncthreads();
    c[i] = tile[i / 8];
}
