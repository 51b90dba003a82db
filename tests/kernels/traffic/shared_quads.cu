// Four floats at once in shared memory.
// why: 512 bytes are four times what the banks hold.
// elements: 128
// launch: 1, 32
// global load 16: 1 request, 16 sectors, ideal 16
// global store 16: 1 request, 16 sectors, ideal 16
// shared store 16: 1 request, 4 wavefronts, ideal 4
// shared load 16: 1 request, 4 wavefronts, ideal 4

__global__ void shared_quads_kernel(const float* a, float* c, int n) {
    __shared__ float4 tile[32];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    tile[i] = reinterpret_cast<const float4*>(a)[i];
    __syncthreads();
    reinterpret_cast<float4*>(c)[i] = tile[31 - i];
}
