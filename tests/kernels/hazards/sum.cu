// All threads add to one element, without atomicAdd.
// size: 64
// hazard: race
// where: sum 1, sum 0
// says: give each element to one thread, or use atomicAdd

__global__ void add_up(const float* a, float* c) { *c += a[blockIdx.x * blockDim.x + threadIdx.x]; }  // sum

torch::Tensor sum(torch::Tensor A) {
    auto C = torch::zeros({1}, A.options());
    add_up<<<1, A.numel()>>>(A.data_ptr<float>(), C.data_ptr<float>());
    return C;
}
