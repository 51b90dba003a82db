// Tiles of types with constructors. g++ adds a variable to each, which says whether the tile was initialised.
// half_tile: A.flip(0)
// half_rows: A.half()
// pair_tile: A.flip(0)
// bfloat16_tile: A.flip(0)
#include <cuda_bf16.h>
#include <cuda_fp16.h>

struct Weighted {
    float value, weight;
    Weighted() = default;
    __host__ __device__ Weighted(float value) : value(value), weight(1) {}
};

__global__ void half_tile_kernel(const float* in, float* out, int n) {
    __shared__ half tile[128];
    const int t = threadIdx.x;
    tile[t] = __float2half(t < n ? in[t] : 0.0f);
    __syncthreads();
    if (t < n) out[t] = __half2float(tile[n - 1 - t]);
}
torch::Tensor half_tile(torch::Tensor A) {
    auto C = torch::empty_like(A);
    half_tile_kernel<<<1, 128>>>(A.data_ptr<float>(), C.data_ptr<float>(), A.numel());
    return C;
}

__global__ void bfloat16_tile_kernel(const float* in, float* out, int n) {
    __shared__ __nv_bfloat162 tile[128];
    const int t = threadIdx.x;
    tile[t] = __floats2bfloat162_rn(t < n ? in[t] : 0.0f, 0.0f);
    __syncthreads();
    if (t < n) out[t] = __low2float(tile[n - 1 - t]);
}
torch::Tensor bfloat16_tile(torch::Tensor A) {
    auto C = torch::empty_like(A);
    bfloat16_tile_kernel<<<1, 128>>>(A.data_ptr<float>(), C.data_ptr<float>(), A.numel());
    return C;
}

template <class T>
__global__ void half_rows_kernel(const float* in, float* out, int n) {
    __shared__ T tile[8][16 + 1];
    const int i = threadIdx.y * 16 + threadIdx.x;
    tile[threadIdx.y][threadIdx.x] = T(i < n ? in[i] : 0.0f);
    __syncthreads();
    const int other = 7 - threadIdx.y, j = other * 16 + threadIdx.x;
    if (j < n) out[j] = static_cast<float>(tile[other][threadIdx.x]);
}
torch::Tensor half_rows(torch::Tensor A) {
    auto C = torch::empty_like(A);
    half_rows_kernel<c10::Half><<<1, dim3(16, 8)>>>(A.data_ptr<float>(), C.data_ptr<float>(), A.numel());
    return C;
}

__global__ void pair_tile_kernel(const float* in, float* out, int n) {
    __shared__ half2 halves[128];
    __shared__ Weighted tile[128];
    const int t = threadIdx.x;
    halves[t] = __floats2half2_rn(1.0f, 2.0f);
    tile[t] = t < n ? in[t] : 0.0f;
    __syncthreads();
    if (t < n) out[t] = tile[n - 1 - t].value * tile[n - 1 - t].weight * __low2float(halves[n - 1 - t]);
}
torch::Tensor pair_tile(torch::Tensor A) {
    auto C = torch::empty_like(A);
    pair_tile_kernel<<<1, 128>>>(A.data_ptr<float>(), C.data_ptr<float>(), A.numel());
    return C;
}
