// Half a warp makes a matrix product while the other half waits at a barrier.
// size: 256
// hazard: divergent-warp
// where: of-half-a-warp 0
// says: names lanes in its mask \(0xFFFFFFFF\) that never reach it
#include <cuda_fp16.h>
#include <mma.h>

__global__ void product_of_some(float* c) {
    using namespace nvcuda;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> b;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sums;
    wmma::fill_fragment(a, __float2half(1));
    wmma::fill_fragment(b, __float2half(1));
    wmma::fill_fragment(sums, 0.0f);
    if (threadIdx.x < 16) wmma::mma_sync(sums, a, b, sums);  // of-half-a-warp
    __syncthreads();
    wmma::store_matrix_sync(c, sums, 16, wmma::mem_row_major);
}

torch::Tensor wmma_half_warp(torch::Tensor A) {
    product_of_some<<<1, 32>>>(A.data_ptr<float>());
    return A;
}
