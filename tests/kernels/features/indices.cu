// Every thread of a grid writes its indices.

__global__ void write_indices(int* out) {
    const dim3 threads = blockDim;
    const uint3 thread = threadIdx;
    const int inside = (thread.z * threads.y + thread.y) * threads.x + thread.x;
    const int block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    int* mine = out + 6 * (block * static_cast<int>(blockDim.x * blockDim.y * blockDim.z) + inside);
    mine[0] = blockIdx.x, mine[1] = blockIdx.y, mine[2] = blockIdx.z;
    mine[3] = threadIdx.x, mine[4] = threadIdx.y, mine[5] = threadIdx.z;
}

torch::Tensor indices(int gx, int gy, int gz, int bx, int by, int bz) {
    auto out = torch::empty({gz, gy, gx, bz, by, bx, 6}, torch::dtype(torch::kInt32).device(torch::kCUDA));
    const dim3 grid(gx, gy, gz);
    dim3 block{static_cast<unsigned>(bx), static_cast<unsigned>(by)};
    block.z = bz;
    write_indices<<<grid, block>>>(out.data_ptr<int>());
    return out;
}
