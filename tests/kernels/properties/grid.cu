// Each thread of a grid counts a visit and writes its indices.

__global__ void count_visits(int* visits, int* x_of, int* y_of, int* z_of, int width, int height) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    const int z = blockIdx.z * blockDim.z + threadIdx.z;
    const int at = (z * height + y) * width + x;
    atomicAdd(visits + at, 1);
    x_of[at] = x, y_of[at] = y, z_of[at] = z;
}

std::vector<torch::Tensor> visits(std::vector<int64_t> grid, std::vector<int64_t> block) {
    const int64_t width = grid[0] * block[0], height = grid[1] * block[1], depth = grid[2] * block[2];
    const auto options = torch::dtype(torch::kInt32).device(torch::kCUDA);
    auto V = torch::zeros({depth, height, width}, options);
    auto X = torch::empty_like(V), Y = torch::empty_like(V), Z = torch::empty_like(V);
    count_visits<<<dim3(grid[0], grid[1], grid[2]), dim3(block[0], block[1], block[2])>>>(
        V.data_ptr<int>(), X.data_ptr<int>(), Y.data_ptr<int>(), Z.data_ptr<int>(), width, height);
    return {V, X, Y, Z};
}
