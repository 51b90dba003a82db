// Blocks and grids of several dimensions.
// dimensions: dimensions(A)

__global__ void in_three_dimensions(float* c, int width, int height, int depth) {
    const dim3 at(blockIdx.x * blockDim.x + threadIdx.x, blockIdx.y * blockDim.y + threadIdx.y, threadIdx.z);
    if (at.x >= width || at.y >= height || at.z >= depth) return;
    c[(at.z * height + at.y) * width + at.x] = std::min(threadIdx.x, 3u) + static_cast<float>(at.z);
}
torch::Tensor dimensions(torch::Tensor A) {
    auto C = torch::empty({3, 5, A.numel()}, A.options());
    in_three_dimensions<<<dim3((A.numel() + 7) / 8, 2), dim3(8, 4, 3)>>>(C.data_ptr<float>(), A.numel(), 5,
                                                                         3);
    return C;
}
