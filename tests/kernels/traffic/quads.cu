// Four floats at once, and a tail of single floats.
// why: 25 lanes load 400 bytes, 12.5 sectors; 3 lanes of the tail load 12 bytes in the half that is left.
// elements: 103
// launch: 1, 64
// global load 16: 1 request, 13 sectors, ideal 13, 4 cycles
// global store 16: 1 request, 13 sectors, ideal 13
// global load 4: 1 request, 1 sector, ideal 1
// global store 4: 1 request, 1 sector, ideal 1

__global__ void quads_kernel(const float* a, float* c, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 4) {
        const float4 v = reinterpret_cast<const float4*>(a)[i];
        reinterpret_cast<float4*>(c)[i] = v;
    }
    const int tail = n / 4 * 4 + i;
    if (tail < n) c[tail] = a[tail];
}
