// Threads without an element have returned, and the others shuffle with all lanes in the mask.
// size: 20
// hazard: divergent-warp
// where: returned-lanes 4
// says: reads the value of lane 20, which does not take part

__global__ void sum_after_return(const float* a, float* c, int n) {
    if (threadIdx.x >= n) return;
    float sum = a[threadIdx.x];
    for (int step = 16; step > 0; step /= 2) {
        sum += __shfl_down_sync(0xffffffffu, sum, step);  // returned-lanes
    }
    if (threadIdx.x == 0) *c = sum;
}

torch::Tensor shuffle_after_return(torch::Tensor A) {
    auto C = torch::empty({1}, A.options());
    sum_after_return<<<1, 32>>>(A.data_ptr<float>(), C.data_ptr<float>(), A.numel());
    return C;
}
