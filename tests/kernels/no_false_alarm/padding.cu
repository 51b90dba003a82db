// A struct's padding is copied with the struct, and no thread writes the padding.
// padding: A.argmax()

struct Best {
    float value;
    int64_t index;
};
__global__ void argmax_kernel(const float* a, int64_t* c, int n) {
    extern __shared__ Best bests[];
    bests[threadIdx.x].value = threadIdx.x < n ? a[threadIdx.x] : -INFINITY;
    bests[threadIdx.x].index = threadIdx.x;
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x >= half) continue;
        const Best other = bests[threadIdx.x + half];
        if (other.value > bests[threadIdx.x].value) bests[threadIdx.x] = other;
    }
    if (threadIdx.x == 0) *c = bests[0].index;
}
torch::Tensor padding(torch::Tensor A) {
    auto C = torch::empty({1}, A.options().dtype(torch::kInt64));
    argmax_kernel<<<1, 128, 128 * sizeof(Best)>>>(A.data_ptr<float>(), C.data_ptr<int64_t>(), A.numel());
    return C;
}
