// A tiled matrix product, with a statement on two lines.
// why: 64 loads each for As and Bs, of two rows of 16 floats, 2 + 2 sectors; 16 steps with 2 loads of shared memory.
// elements: 1024
// launch: dim3(2, 2), dim3(T, T)
// global load 4: 128 requests, 512 sectors, ideal 512
// global store 4: 32 requests, 128 sectors, ideal 128
// shared store 4: 128 requests, 128 wavefronts, ideal 128
// shared load 4: 2048 requests, 2048 wavefronts, ideal 2048

constexpr int T = 16;
__global__ void product_kernel(const float* a, float* c, int n) {
    __shared__ float As[T][T], Bs[T][T];
    const int size = 32, row = blockIdx.y * T + threadIdx.y, column = blockIdx.x * T + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < size; k += T) {
        As[threadIdx.y][threadIdx.x] = a[row * size + k + threadIdx.x];
        Bs[threadIdx.y][threadIdx.x] = a[(k + threadIdx.y) * size + column];
        __syncthreads();
        for (int l = 0; l < T; ++l) {
            sum += As[threadIdx.y][l]  // one statement, two lines
                   * Bs[l][threadIdx.x];
        }
        __syncthreads();
    }
    c[row * size + column] = sum;
}
