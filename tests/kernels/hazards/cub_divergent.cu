// Threads past the end have returned before a block-wide scan.
// size: 40
// hazard: divergent-barrier
// where: block-scan 0
// says: the barrier in line {block-scan} is reached by 40 of the block's 64 threads; the others have returned

#include <cub/block/block_scan.cuh>

__global__ void scan_after_return(float* c, int n) {
    using Scan = cub::BlockScan<float, 64>;
    __shared__ typename Scan::TempStorage temp;
    if (threadIdx.x >= n) return;
    float sum;
    Scan(temp).InclusiveSum(c[threadIdx.x], sum);  // block-scan
    c[threadIdx.x] = sum;
}

torch::Tensor cub_divergent(torch::Tensor A) {
    scan_after_return<<<1, 64>>>(A.data_ptr<float>(), A.numel());
    return A;
}
