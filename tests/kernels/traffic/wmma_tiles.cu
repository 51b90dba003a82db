// A product of two tiles of half in shared memory, whose result goes to global memory.
// why: Each half fragment is 4 requests of 8 rows of 16 bytes. The rows are 48 bytes apart, so there is no conflict. A pair
//   of columns of the result is one access of 8 bytes: 4 requests of 8 rows of 32 bytes.
// elements: 512
// launch: 1, 32
// global load 4: 16 requests, 64 sectors, ideal 64
// shared store 2: 16 requests, 16 wavefronts, ideal 16
// shared load 4: 8 requests, 8 wavefronts, ideal 8
// global store 8: 4 requests, 32 sectors, ideal 32
#include <cuda_fp16.h>
#include <mma.h>

__global__ void wmma_tiles_kernel(const float* a, float* c, int n) {
    using namespace nvcuda;
    __shared__ __align__(32) half tiles[2][16 * 24];
    for (int i = threadIdx.x; i < n; i += 32) tiles[i / 256][i % 256 / 16 * 24 + i % 16] = __float2half(a[i]);
    __syncwarp();
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> left;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> right;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sums;
    wmma::load_matrix_sync(left, tiles[0], 24);
    wmma::load_matrix_sync(right, tiles[1], 24);
    wmma::fill_fragment(sums, 0.0f);
    wmma::mma_sync(sums, left, right, sums);
    wmma::store_matrix_sync(c, sums, 16, wmma::mem_row_major);
}
