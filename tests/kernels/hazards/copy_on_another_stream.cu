// The result is copied on one stream while a kernel computes it on another.
// size: 40
// hazard: race
// where: copied-by-another 0
// says: line {copied-by-another} .* writes in a launch on one stream what a copy or fill by the wrapper accesses on another

__global__ void copied_by_another(const float* a, float* c, int n) {
    if (threadIdx.x < n) c[threadIdx.x] = a[threadIdx.x] + 1;  // copied-by-another
}

torch::Tensor copy_on_another_stream(torch::Tensor A) {
    auto B = torch::empty_like(A), C = torch::empty_like(A);
    cudaStream_t first, second;
    cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
    cudaDeviceSynchronize();
    copied_by_another<<<1, 64, 0, first>>>(A.data_ptr<float>(), B.data_ptr<float>(), A.numel());
    cudaMemcpyAsync(C.data_ptr<float>(), B.data_ptr<float>(), A.numel() * sizeof(float),
                    cudaMemcpyDeviceToDevice, second);
    cudaDeviceSynchronize();
    cudaStreamDestroy(first), cudaStreamDestroy(second);
    return C;
}
