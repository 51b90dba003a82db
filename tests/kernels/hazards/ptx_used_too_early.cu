// What other threads have copied by cp.async is read without a barrier after the wait.
// size: 64
// launch: 1, 64, 64 * sizeof(float)
// hazard: race
// where: ptx-copy 32, ptx-early-use 31
// says: line {ptx-copy} .* writes \(asynchronously\).* between the wait and the next use

#define CP_ASYNC(to, from, bytes) \
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(to), "l"(from), "n"(bytes))

__global__ void reverse_by_ptx(const float* a, float* c, int n) {
    extern __shared__ float ptx_tile[];
    const unsigned to = __cvta_generic_to_shared(ptx_tile) + 4 * threadIdx.x;
    CP_ASYNC(to, &a[threadIdx.x], 4);  // ptx-copy
    asm volatile("cp.async.wait_all;" ::: "memory");
    c[threadIdx.x] = ptx_tile[63 - threadIdx.x];  // ptx-early-use
}
