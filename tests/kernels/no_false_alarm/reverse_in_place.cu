// A buffer is reversed in place, one pair per thread.
// reverse_in_place: A.flip(0)

__global__ void reverse_pairs(float* c, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n / 2) return;
    const float last = c[n - 1 - i];
    c[n - 1 - i] = c[i], c[i] = last;
}
torch::Tensor reverse_in_place(torch::Tensor A) {
    auto C = A.clone();
    reverse_pairs<<<2, 64>>>(C.data_ptr<float>(), A.numel());
    return C;
}
