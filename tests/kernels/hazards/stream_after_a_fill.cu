// PyTorch fills a tensor on its stream, and a kernel on another stream, which does not block, adds to it.
// size: 40
// hazard: race
// where: after-a-fill 0
// says: line {after-a-fill} .* reads in a launch on one stream what a copy or fill by the wrapper accesses on another

__global__ void after_a_fill(const float* a, float* c, int n) {
    if (threadIdx.x < n) c[threadIdx.x] += a[threadIdx.x];  // after-a-fill
}

torch::Tensor stream_after_a_fill(torch::Tensor A) {
    cudaDeviceSynchronize();
    auto C = torch::zeros_like(A);
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    after_a_fill<<<1, 64, 0, stream>>>(A.data_ptr<float>(), C.data_ptr<float>(), A.numel());
    cudaStreamSynchronize(stream);
    cudaStreamDestroy(stream);
    return C;
}
