// The result is written on a stream for which PyTorch's stream does not wait.
// size: 40
// hazard: race
// where: not-joined 0
// says: writes the new tensor of shape \(40,\) on a stream that PyTorch's current stream does not wait for; before

__global__ void not_joined(const float* a, float* c, int n) {
    if (threadIdx.x < n) c[threadIdx.x] = a[threadIdx.x] + 1;  // not-joined
}

torch::Tensor stream_before_the_caller(torch::Tensor A) {
    auto C = torch::empty_like(A);
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cudaDeviceSynchronize();
    not_joined<<<1, 64, 0, stream>>>(A.data_ptr<float>(), C.data_ptr<float>(), A.numel());
    cudaStreamDestroy(stream);
    return C;
}
