// All threads add to one volatile element, without atomicAdd.
// size: 32
// hazard: race
// where: volatile-sum 1, volatile-sum 0
// says: use atomicAdd

__global__ void add_up_volatile(const float* a, volatile float* c) { *c += a[threadIdx.x]; }  // volatile-sum

torch::Tensor volatile_sum(torch::Tensor A) {
    auto C = torch::zeros({1}, A.options());
    add_up_volatile<<<1, A.numel()>>>(A.data_ptr<float>(), C.data_ptr<float>());
    return C;
}
