// Two bytes per thread.
// elements: 32
// launch: 1, 64
// global load 2: 2 requests, 4 sectors, ideal 4
// global store 2: 2 requests, 4 sectors, ideal 4

__global__ void halves_kernel(const float* a, float* c, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    reinterpret_cast<short*>(c)[i] = reinterpret_cast<const short*>(a)[i];
}
