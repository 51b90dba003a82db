// A part of a larger storage, with strides.
// strided_view: A * 2
// input: torch.cat([A, A])[3 : 3 + A.numel() // 3 * 3].view(-1, 3).t()[1:]

__global__ void twice_by_strides(const float* a, float* c, int64_t columns, int64_t of_rows,
                                 int64_t of_columns) {
    const int64_t row = blockIdx.x, column = threadIdx.x;
    if (column < columns) c[row * columns + column] = 2 * a[row * of_rows + column * of_columns];
}

torch::Tensor strided_view(torch::Tensor A) {
    auto C = torch::empty(A.sizes(), A.options());
    twice_by_strides<<<A.size(0), 64>>>(A.data_ptr<float>(), C.data_ptr<float>(), A.size(1), A.stride(0),
                                        A.stride(1));
    return C;
}
