// One thread of each block reads a sum by an atomic operation that changes nothing, and stores it by an exchange.
// size: 64
// hazard: race
// where: exchanged-sum 0 1, read-sum 0 1
// says: line {exchanged-sum} .* replaces what line {read-sum} .* has read, and what other threads store in between is lost
#include <torch/extension.h>

__global__ void sum_by_exchanges(const float* a, float* c) {
    const float old = atomicAdd(c, 0.0f);                      // read-sum
    if (threadIdx.x == 0) atomicExch(c, old + a[blockIdx.x]);  // exchanged-sum
}

torch::Tensor exchanged_between_blocks(torch::Tensor A) {
    auto C = torch::zeros({1}, A.options());
    sum_by_exchanges<<<64, 1>>>(A.data_ptr<float>(), C.data_ptr<float>());
    return C;
}
