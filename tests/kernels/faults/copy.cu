// A copy that is right, and one that reads and writes past the end.

__global__ void copy(const float* a, float* c, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i];
}

torch::Tensor good(torch::Tensor A) {
    auto C = torch::empty_like(A);
    copy<<<(A.numel() + 255) / 256, 256>>>(A.data_ptr<float>(), C.data_ptr<float>(), A.numel());
    return C;
}

torch::Tensor copy_past_both_ends(torch::Tensor A) {
    auto C = torch::empty_like(A);
    copy<<<1, 1024>>>(A.data_ptr<float>(), C.data_ptr<float>(), 1024);
    return C;
}
