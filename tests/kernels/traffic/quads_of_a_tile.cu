// Both halves of a warp load the same quads, 64 bytes apart.
// why: The 8 lanes of a quarter need banks 0 to 3 and 16 to 19: 4 wavefronts each. Lanes 16 apart are not pairs.
// measured: An H200 counted 16 as well, and 2 of a quad for all (LDS.128, tests/benchmarks/microscope).
// elements: 256
// launch: 1, 32
// global load 16: 2 requests, 32 sectors, ideal 32
// global store 4: 1 request, 4 sectors, ideal 4
// shared store 16: 2 requests, 8 wavefronts, ideal 8
// shared load 16: 1 request, 16 wavefronts, ideal 2

__global__ void quads_of_a_tile_kernel(const float* a, float* c, int n) {
    __shared__ float4 tile[64];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    tile[i] = reinterpret_cast<const float4*>(a)[i],
    tile[i + 32] = reinterpret_cast<const float4*>(a)[i + 32];
    __syncthreads();
    const float4 v = tile[i % 16 * 4];
    c[i] = v.x + v.y;
}
