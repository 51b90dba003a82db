// Fills a part of the output, the input or memory of cudaMalloc, or more than there is.

__global__ void fill(float* c, int from, int to, int step) {
    for (int i = from + static_cast<int>(threadIdx.x) * step; i < to; i += step * blockDim.x) c[i] = 1.0f;
}

torch::Tensor fill_output(torch::Tensor A, int from, int to, int step) {
    auto C = torch::empty_like(A);
    fill<<<1, 64>>>(C.data_ptr<float>(), from, to, step);
    return C;
}

torch::Tensor fill_input(torch::Tensor A, int from, int to, int step) {
    fill<<<1, 64>>>(A.data_ptr<float>(), from, to, step);
    return A;
}

torch::Tensor fill_allocated(torch::Tensor A, int n) {
    float* scratch = nullptr;
    TORCH_CHECK(cudaMalloc(&scratch, 10 * sizeof(float)) == cudaSuccess);
    fill<<<1, 64>>>(scratch, 0, n, 1);
    TORCH_CHECK(cudaFree(scratch) == cudaSuccess);
    return A;
}
