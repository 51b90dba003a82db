// A switch with four cases.
// why: Each branch has 8 lanes, every fourth float of 128 bytes; 32 bytes would fill 1 sector.
// elements: 128
// launch: 1, 32
// global load 4: 4 requests, 16 sectors, ideal 4
// global store 4: 1 request, 4 sectors, ideal 4

__global__ void four_ways_kernel(const float* a, float* c, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = 0;
    switch (i % 4) {
        case 0:
            x = a[i];
            break;
        case 1:
            x = 2 * a[i + 32];
            break;
        case 2:
            x = 3 * a[i + 64];
            break;
        case 3:
            x = 4 * a[i + 96];
    }
    c[i] = x;
}
