// One byte per thread.
// elements: 16
// launch: 1, 64
// global load 1: 2 requests, 2 sectors, ideal 2
// global store 1: 2 requests, 2 sectors, ideal 2

__global__ void bytes_kernel(const float* a, float* c, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    reinterpret_cast<char*>(c)[i] = reinterpret_cast<const char*>(a)[i];
}
