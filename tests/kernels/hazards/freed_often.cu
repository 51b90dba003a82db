// Much memory is allocated and freed, one buffer after the other.

torch::Tensor freed_often(torch::Tensor A) {
    for (int i = 0; i < 1000; ++i) {
        char* memory;
        TORCH_CHECK(cudaMalloc(&memory, 1 << 20) == cudaSuccess &&
                    cudaMemset(memory, 1, 1 << 20) == cudaSuccess);
        TORCH_CHECK(cudaFree(memory) == cudaSuccess);
    }
    return A;
}
