// Each thread also reads the next element, and the last one reads past its input, which may be a part of a storage.

__global__ void and_the_next(const float* a, float* c, int n) {
    if (threadIdx.x < n) c[threadIdx.x] = a[threadIdx.x] + a[threadIdx.x + 1];  // past-the-view
}

torch::Tensor next_in_a_view(torch::Tensor A, c10::optional<torch::Tensor>) {
    auto C = torch::empty({A.numel()}, A.options());
    and_the_next<<<1, 64>>>(A.data_ptr<float>(), C.data_ptr<float>(), A.numel());
    return C;
}

torch::Tensor next_by_the_wrapper(torch::Tensor A) {
    auto whole = A.as_strided({A.numel() + 1}, {1}), C = torch::empty({A.numel()}, A.options());
    and_the_next<<<1, 64>>>(whole.data_ptr<float>(), C.data_ptr<float>(), A.numel());
    return C;
}
