// All threads add to one shared variable, without atomicAdd.
// size: 32
// hazard: race
// where: shared-sum 0, shared-sum 31
// says: ; give each element to one thread, or use atomicAdd, or a __syncthreads

__global__ void sum_in_shared(const float* a, float* c) {
    __shared__ float sum;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    sum += a[threadIdx.x];  // shared-sum
    __syncthreads();
    *c = sum;
}

torch::Tensor shared_sum(torch::Tensor A) {
    auto C = torch::empty({1}, A.options());
    sum_in_shared<<<1, A.numel()>>>(A.data_ptr<float>(), C.data_ptr<float>());
    return C;
}
