// Exchanges of what was read before: marks, a ticket lock, a maximum that puts back what it took, a guarded sum.
// marked_once: torch.tensor([1.0])
// in_turn: A.sum()
// largest_by_exchanges: A.max()
// guarded_exchange: A.sum()
#include <torch/extension.h>

__global__ void mark_once(const float* a, int* marks, float* c, int n) {
    if (threadIdx.x >= n) return;
    if (!marks[0] && atomicExch(&marks[0], 1) == 0) atomicAdd(c, 1.0f);
    if (!marks[1]) atomicExch(&marks[1], 1);
    if (atomicAdd(&marks[2], 0) < 2) atomicExch(&marks[2], 2);
}
torch::Tensor marked_once(torch::Tensor A) {
    auto C = torch::zeros({1}, A.options()), marks = torch::zeros({3}, A.options().dtype(torch::kInt32));
    mark_once<<<1, 128>>>(A.data_ptr<float>(), marks.data_ptr<int>(), C.data_ptr<float>(), A.numel());
    return C;
}

__global__ void add_in_turn(const float* a, float* c, int* tickets, int n) {
    if (threadIdx.x >= n) return;
    const int own = atomicAdd(&tickets[0], 1);
    while (atomicAdd(&tickets[1], 0) != own) {
    }
    __threadfence();
    *c += a[threadIdx.x];
    __threadfence();
    atomicExch(&tickets[1], own + 1);
}
torch::Tensor in_turn(torch::Tensor A) {
    auto C = torch::zeros({1}, A.options()), tickets = torch::zeros({2}, A.options().dtype(torch::kInt32));
    add_in_turn<<<1, 128>>>(A.data_ptr<float>(), C.data_ptr<float>(), tickets.data_ptr<int>(), A.numel());
    return C;
}

__global__ void maximum_by_exchanges(const float* a, float* c, int n) {
    if (threadIdx.x >= n) return;
    float value = a[threadIdx.x];
    while (value > *static_cast<volatile float*>(c)) value = fmaxf(value, atomicExch(c, value));
}
torch::Tensor largest_by_exchanges(torch::Tensor A) {
    auto C = torch::full({1}, -INFINITY, A.options());
    maximum_by_exchanges<<<1, 128>>>(A.data_ptr<float>(), C.data_ptr<float>(), A.numel());
    return C;
}

__global__ void add_by_exchange(const float* a, float* c, int* lock, int n) {
    bool done = threadIdx.x >= n;
    while (!done) {
        if (atomicCAS(lock, 0, 1) != 0) continue;
        __threadfence();
        atomicExch(c, *c + a[threadIdx.x]);
        __threadfence();
        atomicExch(lock, 0);
        done = true;
    }
}
torch::Tensor guarded_exchange(torch::Tensor A) {
    auto C = torch::zeros({1}, A.options()), lock = torch::zeros({1}, A.options().dtype(torch::kInt32));
    add_by_exchange<<<1, 128>>>(A.data_ptr<float>(), C.data_ptr<float>(), lock.data_ptr<int>(), A.numel());
    return C;
}
