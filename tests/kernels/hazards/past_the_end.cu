// The guard lets one thread too many through.
// size: 100
// hazard: out-of-bounds
// where: past-the-end 36 1
// says: reads past the end of A of shape \(100,\): element 100 of 100, .* \(block 1, thread 36\)

__global__ void copy_one_more(const float* a, float* c, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n) c[i] = a[i];  // past-the-end
}

torch::Tensor past_the_end(torch::Tensor A) {
    auto C = torch::empty({A.numel() + 1}, A.options());
    copy_one_more<<<2, 64>>>(A.data_ptr<float>(), C.data_ptr<float>(), A.numel());
    return C;
}
