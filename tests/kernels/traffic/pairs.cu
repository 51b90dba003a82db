// Eight bytes per thread, as doubles.
// elements: 128
// launch: 1, 64
// global load 8: 2 requests, 16 sectors, ideal 16
// global store 8: 2 requests, 16 sectors, ideal 16

__global__ void pairs_kernel(const float* a, float* c, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    reinterpret_cast<double*>(c)[i] = reinterpret_cast<const double*>(a)[i];
}
