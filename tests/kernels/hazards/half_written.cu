// Every second element of the result is never written.
// size: 8
// hazard: unwritten-output
// says: no kernel writes 4 of the 8 elements of the result.* at \[1\]

__global__ void every_other(float* c) { c[2 * threadIdx.x] = 1.0f; }

torch::Tensor half_written(torch::Tensor A) {
    auto C = torch::empty_like(A);
    every_other<<<1, A.numel() / 2>>>(C.data_ptr<float>());
    return C;
}
