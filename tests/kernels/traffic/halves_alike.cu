// Lanes that are 16 apart load the same 8 bytes.
// why: Lanes 16 apart are not among the pairs that are served at once.
// elements: 64
// launch: 1, 32
// global load 8: 1 request, 8 sectors, ideal 8
// global store 4: 1 request, 4 sectors, ideal 4
// shared store 8: 1 request, 2 wavefronts, ideal 2
// shared load 8: 1 request, 2 wavefronts, ideal 1

__global__ void halves_alike_kernel(const float* a, float* c, int n) {
    __shared__ float2 tile[32];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    tile[i] = reinterpret_cast<const float2*>(a)[i];
    __syncthreads();
    const float2 v = tile[i % 16];
    c[i] = v.x + v.y;
}
