// All blocks store to the same address.

__global__ void race(float* a) { a[0] = blockIdx.x; }
torch::Tensor races(torch::Tensor a) {
    race<<<a.numel(), 1>>>(a.data_ptr<float>());
    return a;
}
