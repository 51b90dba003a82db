// Cooperative groups.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

namespace cg = cooperative_groups;

template <unsigned kSize>
__global__ void of_tiles(const float* a, float* c) {
    const cg::thread_block block = cg::this_thread_block();
    const auto tile = cg::tiled_partition<kSize>(block);
    const unsigned i = block.thread_rank(), n = block.size();
    c[i] = cg::reduce(tile, a[i], cg::plus<float>());
    c[n + i] = cg::reduce(tile, a[i], cg::less<float>());
    c[2 * n + i] = cg::inclusive_scan(tile, a[i]);
    c[3 * n + i] = cg::exclusive_scan(tile, a[i], cg::plus<float>());
    c[4 * n + i] =
        tile.shfl(a[i], 1) + tile.shfl_up(a[i], 1) + tile.shfl_down(a[i], 2) + tile.shfl_xor(a[i], 1);
    c[5 * n + i] = tile.ballot(a[i] > 0) + tile.any(a[i] > 1) + tile.all(a[i] > -1);
    c[6 * n + i] = tile.meta_group_rank() * 100 + tile.meta_group_size() * 10 + tile.thread_rank();
}

torch::Tensor tiles(torch::Tensor A, int64_t size) {
    auto C = torch::empty({7, A.numel()}, A.options());
    const dim3 block(8, A.numel() / 8);
    if (size == 4) of_tiles<4><<<1, block>>>(A.data_ptr<float>(), C.data_ptr<float>());
    if (size == 32) of_tiles<32><<<1, block>>>(A.data_ptr<float>(), C.data_ptr<float>());
    return C;
}

// The lanes with a positive number.
__global__ void of_positive(const float* a, float* c, int* counts, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n || a[i] <= 0) return;
    const cg::coalesced_group active = cg::coalesced_threads();
    c[i] = cg::reduce(active, a[i], cg::plus<float>());
    c[n + i] = cg::exclusive_scan(active, a[i]);
    int slot = 0;
    if (active.thread_rank() == 0) slot = atomicAdd(counts, active.size());
    slot = active.shfl(slot, 0) + active.thread_rank();
    counts[1 + slot] = i;
    c[2 * n + i] = cg::tiled_partition(active, 4).shfl_down(a[i], 1);
}

std::vector<torch::Tensor> coalesced(torch::Tensor A) {
    auto C = torch::zeros({3, A.numel()}, A.options());
    auto counts = torch::zeros({1 + A.numel()}, A.options().dtype(torch::kInt));
    of_positive<<<(A.numel() + 63) / 64, 64>>>(A.data_ptr<float>(), C.data_ptr<float>(),
                                               counts.data_ptr<int>(), A.numel());
    return {C, counts};
}

// As in NVIDIA's documentation: a sum by a group of any kind, in shared memory.
__device__ int sum_in(cg::thread_group g, int* temp, int value) {
    const int lane = g.thread_rank();
    for (int i = g.size() / 2; i > 0; i /= 2) {
        temp[lane] = value;
        g.sync();
        if (lane < i) value += temp[lane + i];
        g.sync();
    }
    return value;
}
__global__ void of_kinds(const int* a, int* c) {
    __shared__ int temp[256];
    const cg::thread_block block = cg::this_thread_block();
    const int i = block.thread_rank();
    const int all = sum_in(block, temp, a[i]);
    const cg::thread_group tile = cg::tiled_partition(block, 16);
    const int some = sum_in(tile, temp + i / 16 * 16, a[i]);
    if (i == 0) c[16] = all;
    if (tile.thread_rank() == 0) c[i / 16] = some;
}

torch::Tensor kinds(torch::Tensor A) {
    auto C = torch::empty({17}, A.options());
    of_kinds<<<1, 256>>>(A.data_ptr<int>(), C.data_ptr<int>());
    return C;
}

// The threads of a grid share the elements.
__global__ void negated_by_grid(const float* a, float* c, int n) {
    const cg::grid_group grid = cg::this_grid();
    for (int i = grid.thread_rank(); i < n; i += grid.size()) c[i] = grid.is_valid() ? 0 : -a[i];
}

torch::Tensor of_a_grid(torch::Tensor A) {
    auto C = torch::empty_like(A);
    negated_by_grid<<<dim3(2, 3), dim3(4, 2)>>>(A.data_ptr<float>(), C.data_ptr<float>(), A.numel());
    return C;
}

__global__ void copied_by_group(const float* a, float* c, int n) {
    __shared__ float tile[64];
    const cg::thread_block block = cg::this_thread_block();
    cg::memcpy_async(block, tile, a, n * sizeof(float));
    cg::wait(block);
    if (threadIdx.x < n) c[threadIdx.x] = tile[n - 1 - threadIdx.x];
}

torch::Tensor reversed_by_group(torch::Tensor A) {
    auto C = torch::empty_like(A);
    copied_by_group<<<1, 64>>>(A.data_ptr<float>(), C.data_ptr<float>(), A.numel());
    return C;
}
