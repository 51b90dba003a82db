// A buffer is freed twice, and the error of the second time is cleared.
// size: 50
// hazard: out-of-bounds
// where: freed-again 0
// says: ^line {freed-again} .* frees memory for the second time: the 200 bytes of the cudaMalloc in line {to-be-freed}, freed in line {freed-once}

torch::Tensor freed_twice(torch::Tensor A) {
    float* buffer = nullptr;
    cudaMalloc(&buffer, A.numel() * sizeof(float));          // to-be-freed
    cudaFree(buffer);                                        // freed-once
    TORCH_CHECK(cudaFree(buffer) == cudaErrorInvalidValue);  // freed-again
    return A;
}
