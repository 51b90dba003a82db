// A lock that each thread takes in turn.
// locked: A.sum()

__global__ void one_after_another(const float* a, float* c, int* lock, int n) {
    bool done = threadIdx.x >= n;
    while (!done) {
        if (atomicCAS(lock, 0, 1) != 0) continue;
        __threadfence();
        *c += a[threadIdx.x];
        __threadfence();
        atomicExch(lock, 0);
        done = true;
    }
}
torch::Tensor locked(torch::Tensor A) {
    auto C = torch::zeros({1}, A.options()), lock = torch::zeros({1}, A.options().dtype(torch::kInt32));
    one_after_another<<<1, 128>>>(A.data_ptr<float>(), C.data_ptr<float>(), lock.data_ptr<int>(), A.numel());
    return C;
}
