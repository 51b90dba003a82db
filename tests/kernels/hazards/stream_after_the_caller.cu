// A stream that does not block, and does not wait for what the caller does on PyTorch's stream, reads the input.
// size: 40
// hazard: race
// where: too-early-on-a-stream 0
// says: reads A of shape \(40,\) on a stream that does not wait for PyTorch's current stream, .*; let that stream wait

__global__ void too_early_on_a_stream(const float* a, float* c, int n) {
    if (threadIdx.x < n) c[threadIdx.x] = a[threadIdx.x] + 1;  // too-early-on-a-stream
}

torch::Tensor stream_after_the_caller(torch::Tensor A) {
    auto C = torch::empty_like(A);
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    too_early_on_a_stream<<<1, 64, 0, stream>>>(A.data_ptr<float>(), C.data_ptr<float>(), A.numel());
    cudaStreamSynchronize(stream);
    cudaStreamDestroy(stream);
    return C;
}
