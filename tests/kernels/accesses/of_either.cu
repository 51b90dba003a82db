// One load from shared or global memory, by lane.
// launch: 1, 32

__global__ void either(const float* in, float* out, int n) {
    __shared__ float tile[32];
    tile[threadIdx.x] = 0;
    __syncthreads();
    const float* from = threadIdx.x < 8 ? tile : in;
    out[threadIdx.x] = from[threadIdx.x];  // from either
}
