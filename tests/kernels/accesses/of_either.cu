// One load from shared or global memory, by lane.

__global__ void either(const float* in, float* out) {
    __shared__ float tile[32];
    tile[threadIdx.x] = 0;
    __syncthreads();
    const float* from = threadIdx.x < 8 ? tile : in;
    out[threadIdx.x] = from[threadIdx.x];  // from either
}
torch::Tensor of_either(torch::Tensor A) {
    auto C = torch::empty_like(A);
    either<<<1, 32>>>(A.data_ptr<float>(), C.data_ptr<float>());
    return C;
}
