// Atomic additions, each lane to its own address.
// elements: 64
// launch: 1, 64
// global load 4: 2 requests, 8 sectors, ideal 8
// global atomic 4: 2 requests, 8 sectors, ideal 8

__global__ void own_counters_kernel(const float* a, float* c, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(reinterpret_cast<int*>(c) + i, static_cast<int>(a[i]));
}
