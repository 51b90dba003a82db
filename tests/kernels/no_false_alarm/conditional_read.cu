// A read that no thread reaches is not moved before the loop either.
// conditional_read: 2 * A

__global__ void never_read(const float* a, float* c, int n) {
    __shared__ union {
        float quads[4];
        int unset[4];
    } both;
    if (threadIdx.x == 0) both.quads[0] = 2.0f;
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        c[i] = a[i] > 1e30f ? both.unset[3] : a[i] * both.quads[0];
}
torch::Tensor conditional_read(torch::Tensor A) {
    auto C = torch::empty_like(A);
    never_read<<<1, 64>>>(A.data_ptr<float>(), C.data_ptr<float>(), A.numel());
    return C;
}
