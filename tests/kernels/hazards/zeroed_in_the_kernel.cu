// One thread sets to 0 what threads of another block add to.
// size: 1
// hazard: race
// where: all-add 31 1, zeroed-by-one 0 0
// says: blocks run in no fixed order

__global__ void zeroed_by_one(int* c) {
    if (blockIdx.x == 0 && threadIdx.x == 0) *c = 0;  // zeroed-by-one
    __syncthreads();
    atomicAdd(c, 1);  // all-add
}

torch::Tensor zeroed_in_the_kernel(torch::Tensor A) {
    auto C = torch::full({1}, 5, A.options().dtype(torch::kInt32));
    zeroed_by_one<<<2, 32>>>(C.data_ptr<int>());
    return C;
}
