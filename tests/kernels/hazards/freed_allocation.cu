// A kernel reads a buffer that was freed, whose memory a tensor could have now.
// size: 50
// hazard: out-of-bounds
// where: of-a-freed-buffer 0
// says: reads memory that no longer exists: the 200 bytes of the cudaMalloc in line {allocated}, freed in line {freed};

__global__ void of_a_freed_buffer(const float* a, float* c, int n) {
    if (threadIdx.x < n) c[threadIdx.x] = a[threadIdx.x] + 1;  // of-a-freed-buffer
}

torch::Tensor freed_allocation(torch::Tensor A) {
    float* buffer = nullptr;
    TORCH_CHECK(cudaMalloc(&buffer, A.numel() * sizeof(float)) == cudaSuccess);  // allocated
    of_a_freed_buffer<<<1, 64>>>(A.data_ptr<float>(), buffer, A.numel());
    cudaFree(buffer);  // freed
    auto C = torch::empty_like(A);
    of_a_freed_buffer<<<1, 64>>>(buffer, C.data_ptr<float>(), A.numel());
    return C;
}
