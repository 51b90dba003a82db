// Special registers, by inline PTX.

__device__ unsigned lane() {
    unsigned value;
    asm("mov.u32 %0, %laneid;" : "=r"(value));
    return value;
}
__device__ int2 smid_and_warpid() {
    int2 found;
    asm volatile(
        "{\n"
        "  mov.u32 %0, %%smid;\n"
        "  mov.u32 %1, %%warpid;\n"
        "}"
        : "=r"(found.x), "=r"(found.y));
    return found;
}
__device__ unsigned lanes_below() {
    unsigned value;
    asm("mov.u32 %0, %%lanemask_lt;" : "=r"(value));
    return value;
}

__global__ void registers(int* c) {
    const int i = (blockIdx.x * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    unsigned before, after;
    asm volatile("mov.u32 %0, %%clock;" : "=r"(before));
    asm volatile("" ::: "memory");
    asm volatile("mov.u32 %0, %%clock;" : "=r"(after));
    long long ticks;
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(ticks));
    const int2 place = smid_and_warpid();
    c[4 * i] = lane();
    c[4 * i + 1] = __popc(lanes_below());
    c[4 * i + 2] = after > before && ticks != 0;
    c[4 * i + 3] = place.x >= 0 && place.x < 132 && place.y < 64;
}

torch::Tensor special_registers(int64_t blocks) {
    auto C = torch::empty({blocks * 66, 4}, torch::dtype(torch::kInt).device(torch::kCUDA));
    registers<<<blocks, dim3(11, 6)>>>(C.data_ptr<int>());
    return C;
}
