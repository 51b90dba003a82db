// Half of a warp waits at a barrier that the other half never reaches.
// size: 32
// hazard: divergent-barrier
// where: barrier 0
// says: is reached by 16 of the block's 32 threads

__global__ void some_wait(float* c) {
    if (threadIdx.x < 16) __syncthreads();  // barrier
    c[threadIdx.x] = 1.0f;
}

torch::Tensor divergent(torch::Tensor A) {
    some_wait<<<1, 32>>>(A.data_ptr<float>());
    return A;
}
