// A fragment is loaded from a shared tile before all lanes have stored theirs.
// size: 256
// launch: 1, 32
// hazard: race
// where: load-fragment 31, store-tile 22
// says: missing between line {store-tile} and line {load-fragment}
#include <cuda_fp16.h>
#include <mma.h>

__global__ void fragment_too_early(const float* a, float* c, int n) {
    using namespace nvcuda;
    __shared__ __align__(32) float tile[256];
    for (int i = threadIdx.x; i < 256; i += 32) tile[i] = a[i];  // store-tile
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sums;
    wmma::load_matrix_sync(sums, tile, 16, wmma::mem_row_major);  // load-fragment
    wmma::store_matrix_sync(c, sums, 16, wmma::mem_col_major);
}
