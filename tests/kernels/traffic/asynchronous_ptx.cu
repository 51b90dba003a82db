// An asynchronous copy to shared memory by cp.async.
// why: A lane copies 16 bytes, a warp 16 sectors, in four wavefronts of 128 bytes.
// elements: 256
// launch: 1, 64
// global load 16: 2 requests, 32 sectors, ideal 32
// shared store 16: 2 requests, 8 wavefronts, ideal 8
// shared load 16: 2 requests, 8 wavefronts, ideal 8
// global store 16: 2 requests, 32 sectors, ideal 32

#define COPY_16(to, from) \
    asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], %2;\n" ::"r"(to), "l"(from), "n"(16))
#define WAIT(batches) asm volatile("cp.async.wait_group %0;\n" ::"n"(batches))

__global__ void asynchronous_ptx_kernel(const float* a, float* c, int n) {
    __shared__ float4 tile[64];
    const int i = threadIdx.x;
    COPY_16(static_cast<unsigned>(__cvta_generic_to_shared(&tile[i])), a + 4 * i);
    asm volatile("cp.async.commit_group;\n" ::);
    WAIT(0);
    reinterpret_cast<float4*>(c)[i] = tile[i];
}
