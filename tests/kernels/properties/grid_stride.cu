// A grid-stride loop counts a visit of each element.

__global__ void grid_stride(int* visits, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(visits + i, 1);
}

torch::Tensor strided_visits(int64_t n, int blocks, int threads) {
    auto V = torch::zeros({n}, torch::dtype(torch::kInt32).device(torch::kCUDA));
    grid_stride<<<blocks, threads>>>(V.data_ptr<int>(), n);
    return V;
}
