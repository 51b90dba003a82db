// An atomic maximum of floats, by compare-and-swap.
// compare_and_swap: A.max()

__device__ float atomic_max(float* address, float value) {
    int* bits = reinterpret_cast<int*>(address);
    int old = *bits, assumed;
    do {
        assumed = old;
        old = atomicCAS(bits, assumed, __float_as_int(fmaxf(value, __int_as_float(assumed))));
    } while (assumed != old);
    return __int_as_float(old);
}
__global__ void maximum(const float* a, float* c, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomic_max(c, a[i]);
}
torch::Tensor compare_and_swap(torch::Tensor A) {
    auto C = torch::full({1}, -INFINITY, A.options());
    maximum<<<(A.numel() + 63) / 64, 64>>>(A.data_ptr<float>(), C.data_ptr<float>(), A.numel());
    return C;
}
