// Two tiles by cp.async, the last elements as zeros, and a clock that every thread reads.
// ptx_copies: by_sixteens(A)
// launch: 1, 64

__device__ void copy_4(float* to, const float* from, int bytes) {
    const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(to));
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;\n" ::"r"(address), "l"(from), "r"(bytes));
}
__global__ void reverse_by_copies(const float* a, float* c, int n) {
    __shared__ float tiles[2][64];
    const long long before = clock64();
    const int t = threadIdx.x;
    for (int k = 0; k < 2; ++k) {
        const int i = 64 * k + t;
        copy_4(&tiles[k][t], i < n ? a + i : a, i < n ? 4 : 0);
        asm volatile("cp.async.commit_group;\n");
    }
    asm volatile("cp.async.wait_group 1;\n");
    __syncthreads();
    if (t < n) c[t] = tiles[0][t / 16 * 16 + 15 - t % 16];
    asm volatile("cp.async.wait_all;\n");
    __syncthreads();
    if (64 + t < n && clock64() > before) c[64 + t] = tiles[1][t / 16 * 16 + 15 - t % 16];
}
