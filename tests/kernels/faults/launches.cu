// Launches of any size, with any amount of dynamic shared memory, with or without the opt-in.

__global__ void nothing() {}

template <typename T>
__global__ void nothing_of(T*) {}

torch::Tensor launched(torch::Tensor A, std::vector<int64_t> grid, std::vector<int64_t> block, int64_t shared,
                       bool look) {
    nothing<<<dim3(grid[0], grid[1], grid[2]), dim3(block[0], block[1], block[2]), shared>>>();
    const cudaError_t synchronized = cudaDeviceSynchronize();
    if (look) {
        const cudaError_t peeked = cudaPeekAtLastError(), error = cudaGetLastError(),
                          again = cudaGetLastError();
        TORCH_CHECK(peeked == error && again == cudaSuccess && synchronized == cudaSuccess);
        if (error != cudaSuccess) throw std::runtime_error(cudaGetErrorString(error));
    }
    return A;
}

torch::Tensor opted_in(torch::Tensor A, int opted, int bytes, bool of_template) {
    if (of_template) {
        const cudaError_t error =
            cudaFuncSetAttribute(nothing_of<float>, cudaFuncAttributeMaxDynamicSharedMemorySize, opted);
        TORCH_CHECK(error == cudaSuccess, "opting in: ", cudaGetErrorString(error));
        nothing_of<float><<<1, 1, bytes>>>(A.data_ptr<float>());
    } else {
        const cudaError_t error =
            cudaFuncSetAttribute(nothing, cudaFuncAttributeMaxDynamicSharedMemorySize, opted);
        TORCH_CHECK(error == cudaSuccess, "opting in: ", cudaGetErrorString(error));
        nothing<<<1, 1, bytes>>>();
    }
    return A;
}

torch::Tensor another_type(torch::Tensor A, int bytes) {
    nothing_of<double><<<1, 1, bytes>>>(nullptr);
    return A;
}
