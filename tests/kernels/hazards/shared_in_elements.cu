// The third argument of the launch is the number of elements, not of bytes.
// size: 40
// hazard: out-of-bounds
// where: not-in-bytes 10
// says: element 10 of 10, .* the launch requests 40 bytes, and the third value of <<<...>>> is in bytes, not in elements

__global__ void not_in_bytes(const float* a, float* c) {
    extern __shared__ float requested[];
    requested[threadIdx.x] = a[threadIdx.x];  // not-in-bytes
    __syncthreads();
    c[threadIdx.x] = requested[blockDim.x - 1 - threadIdx.x];
}

torch::Tensor shared_in_elements(torch::Tensor A) {
    auto C = torch::empty_like(A);
    not_in_bytes<<<1, A.numel(), A.numel()>>>(A.data_ptr<float>(), C.data_ptr<float>());
    return C;
}
