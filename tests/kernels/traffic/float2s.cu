// Two floats at once.
// elements: 128
// launch: 1, 64
// global load 8: 2 requests, 16 sectors, ideal 16
// global store 8: 2 requests, 16 sectors, ideal 16

__global__ void float2s_kernel(const float* a, float* c, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float2 v = reinterpret_cast<const float2*>(a)[i];
    reinterpret_cast<float2*>(c)[i] = v;
}
