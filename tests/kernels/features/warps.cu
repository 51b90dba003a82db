// Shuffles, votes and masks.

template <typename T>
__device__ T warp_sum(T value) {
#pragma unroll
    for (int offset = warpSize / 2; offset > 0; offset /= 2)
        value += __shfl_down_sync(0xffffffff, value, offset);
    return value;
}

template <typename T>
__global__ void sum_block(const T* a, T* c, int n) {
    __shared__ T partial[32];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    T value = warp_sum(static_cast<int>(threadIdx.x) < n ? a[threadIdx.x] : T(0));
    if (lane == 0) partial[warp] = value;
    __syncthreads();
    if (warp == 0) {
        value = warp_sum(lane < static_cast<int>(blockDim.x / 32) ? partial[lane] : T(0));
        if (lane == 0) *c = value;
    }
}

torch::Tensor warp_sums(torch::Tensor A) {
    auto C = torch::empty({1}, A.options());
    AT_DISPATCH_FLOATING_TYPES(A.scalar_type(), "sum", [&] {
        sum_block<scalar_t><<<1, 1024>>>(A.data_ptr<scalar_t>(), C.data_ptr<scalar_t>(), A.numel());
    });
    return C;
}

// Lanes past the end have returned. A mask may name them; the other lanes do not wait for them.
__global__ void guarded_any(const int* a, int* c, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    c[i] = __any_sync(0xffffffff, a[i] == 7) * 2 + __all_sync(0xffffffff, a[i] >= 0);
}

torch::Tensor guarded_votes(torch::Tensor A) {
    auto C = torch::empty_like(A);
    guarded_any<<<(A.numel() + 255) / 256, 256>>>(A.data_ptr<int>(), C.data_ptr<int>(), A.numel());
    return C;
}

// The lower half of a warp exchanges values through shared memory while the upper half does something else.
__global__ void half_warps(int* c) {
    __shared__ int slot[32];
    const unsigned lane = threadIdx.x;
    if (lane < 16) {
        slot[lane] = lane;
        __syncwarp(0x0000ffff);
        c[lane] = slot[15 - lane];
        __syncwarp(0x0000ffffu);
    } else {
        c[lane] = __shfl_xor_sync(0xffff0000, lane, 1);
    }
    __syncwarp();
    c[lane] += 100 * __popc(__activemask());
}

torch::Tensor partial_masks() {
    auto C = torch::empty({32}, torch::dtype(torch::kInt).device(torch::kCUDA));
    half_warps<<<1, 32>>>(C.data_ptr<int>());
    return C;
}

// One atomic operation for all the lanes that arrive here together.
__global__ void append_even(const int* a, int* count, int* c, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && a[i] % 2 == 0) {
        const unsigned together = __activemask();
        const int lane = threadIdx.x % 32, leader = __ffs(together) - 1;
        int base = 0;
        if (lane == leader) base = atomicAdd(count, __popc(together));
        base = __shfl_sync(together, base, leader);
        c[base + __popc(together & ((1u << lane) - 1))] = a[i];
    }
}

torch::Tensor even_ones(torch::Tensor A) {
    auto C = torch::zeros_like(A);
    auto count = torch::zeros({1}, A.options());
    append_even<<<(A.numel() + 127) / 128, 128>>>(A.data_ptr<int>(), count.data_ptr<int>(), C.data_ptr<int>(),
                                                  A.numel());
    return C.slice(0, 0, count.item<int>());
}
