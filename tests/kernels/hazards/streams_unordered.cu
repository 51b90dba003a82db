// The second kernel reads what the first one writes, and the event between the two streams is recorded too early.
// size: 40
// hazard: race
// where: on-a-stream 0, on-a-stream 0
// says: reads what line {on-a-stream} .* writes in a launch on another stream, and nothing orders the two launches; let one

__global__ void on_a_stream(const float* a, float* c, int n) {
    if (threadIdx.x < n) c[threadIdx.x] = a[threadIdx.x] + 1;  // on-a-stream
}

torch::Tensor streams_unordered(torch::Tensor A) {
    auto B = torch::empty_like(A), C = torch::empty_like(A);
    const int n = A.numel();
    cudaStream_t first, second;
    cudaEvent_t done;
    cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
    cudaEventCreate(&done);
    cudaDeviceSynchronize();
    cudaEventRecord(done, first);
    on_a_stream<<<1, 64, 0, first>>>(A.data_ptr<float>(), B.data_ptr<float>(), n);
    cudaStreamWaitEvent(second, done, 0);
    on_a_stream<<<1, 64, 0, second>>>(B.data_ptr<float>(), C.data_ptr<float>(), n);
    cudaDeviceSynchronize();
    cudaStreamDestroy(first), cudaStreamDestroy(second), cudaEventDestroy(done);
    return C;
}
