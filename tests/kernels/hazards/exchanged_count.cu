// Each thread loads a count in shared memory, and stores it by an exchange.
// size: 64
// hazard: race
// where: exchanged-count 0, loaded-count 0
// says: line {exchanged-count} .* replaces what line {loaded-count} .* has read, .* in one step, by atomicAdd
#include <torch/extension.h>

__global__ void count_by_exchanges(const float* a, float* c) {
    __shared__ int count;
    if (threadIdx.x == 0) count = 0;
    __syncthreads();
    if (a[threadIdx.x] == a[threadIdx.x]) {
        const int old = count;        // loaded-count
        atomicExch(&count, old + 1);  // exchanged-count
    }
    __syncthreads();
    if (threadIdx.x == 0) c[0] = count;
}

torch::Tensor exchanged_count(torch::Tensor A) {
    auto C = torch::zeros({1}, A.options());
    count_by_exchanges<<<1, 64>>>(A.data_ptr<float>(), C.data_ptr<float>());
    return C;
}
