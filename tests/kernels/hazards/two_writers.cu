// Two threads store different values in one element.
// size: 1
// hazard: race
// where: two-writers 1, two-writers 0
// says: several threads change it in line {two-writers}

__global__ void store_index(int* c) { c[threadIdx.x / 2] = threadIdx.x; }  // two-writers

torch::Tensor two_writers(torch::Tensor A) {
    auto C = torch::empty({16}, A.options().dtype(torch::kInt32));
    store_index<<<1, 32>>>(C.data_ptr<int>());
    return C;
}
