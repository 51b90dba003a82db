// The last block stores past the end.

__global__ void past(float* a) { a[64 * blockIdx.x + threadIdx.x] = 0; }
torch::Tensor past_the_end(torch::Tensor a) {
    past<<<a.numel() / 64 + 1, 64>>>(a.data_ptr<float>());
    return a;
}
