// Four floats at once that do not start at a sector.
// why: 512 bytes from byte 16 on: sectors 0 to 16.
// elements: 132
// launch: 1, 32
// global load 16: 1 request, 17 sectors, ideal 16
// global store 16: 1 request, 16 sectors, ideal 16

__global__ void one_quad_off_kernel(const float* a, float* c, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    reinterpret_cast<float4*>(c)[i] = reinterpret_cast<const float4*>(a + 4)[i];
}
