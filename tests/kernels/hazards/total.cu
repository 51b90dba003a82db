// A total is read while other threads add to it atomically.
// size: 32
// hazard: race
// where: total-atomic 1, total-read 0
// says: changes \(atomically\) what line

__global__ void total_at_once(const int* a, int* total, int* c) {
    atomicAdd(total, a[threadIdx.x]);  // total-atomic
    c[threadIdx.x] = *total;           // total-read
}

torch::Tensor total(torch::Tensor A) {
    auto T = torch::zeros({1}, A.options().dtype(torch::kInt32)), C = torch::empty_like(A, torch::kInt32);
    auto I = A.to(torch::kInt32);
    total_at_once<<<1, 32>>>(I.data_ptr<int>(), T.data_ptr<int>(), C.data_ptr<int>());
    return C;
}
