// cudaMemcpy with the opposite kind copies nothing, and the kernel's result is 0.
// size: 20
// hazard: host-access
// where: the-wrong-way 0
// says: copies with cudaMemcpyDeviceToHost, which does not fit the pointers: it must be cudaMemcpyHostToDevice

torch::Tensor copied_the_wrong_way(torch::Tensor A) {
    auto C = torch::zeros_like(A);
    std::vector<float> ones(A.numel(), 1.0f);
    const size_t bytes = ones.size() * sizeof(float);
    auto error =
        cudaMemcpy(C.data_ptr<float>(), ones.data(), bytes, cudaMemcpyDeviceToHost);  // the-wrong-way
    TORCH_CHECK(error == cudaErrorInvalidValue && cudaGetLastError() == error);
    return C;
}
