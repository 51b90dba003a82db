// Each thread reads a sum through a volatile pointer, and stores it by an exchange.
// size: 64
// hazard: race
// where: exchanged-volatile 1, read-volatile 1
// says: line {exchanged-volatile} .* replaces what line {read-volatile} .* has read
#include <torch/extension.h>

__global__ void sum_by_volatile_reads(const float* a, float* c) {
    const float old = *static_cast<volatile float*>(c);  // read-volatile
    atomicExch(c, old + a[threadIdx.x]);                 // exchanged-volatile
}

torch::Tensor exchanged_volatile(torch::Tensor A) {
    auto C = torch::zeros({1}, A.options());
    sum_by_volatile_reads<<<1, 64>>>(A.data_ptr<float>(), C.data_ptr<float>());
    return C;
}
