// Three launches of two kernels, with tensors that are inputs of one and outputs of another.

__device__ float offsets[4] = {1, 2, 3, 4};
__global__ void add(float* A, const float* B, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) A[i] = B[i] + offsets[i % 4];
}
__global__ void count(int* counts) { atomicAdd(counts + 8 * (threadIdx.x % 2), 1); }
torch::Tensor twice(torch::Tensor A, torch::Tensor B) {
    auto sums = torch::empty_like(A), counts = torch::zeros({16}, A.options().dtype(torch::kInt));
    add<<<2, 40>>>(sums.data_ptr<float>(), A.data_ptr<float>() + 8, 48);
    add<<<1, 16>>>(B.data_ptr<float>(), A.data_ptr<float>(), 16);
    count<<<1, 64>>>(counts.data_ptr<int>());
    return sums.slice(0, 0, 48);
}
