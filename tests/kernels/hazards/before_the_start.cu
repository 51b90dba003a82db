// An unsigned index goes below 0.
// size: 8
// hazard: out-of-bounds
// where: before-the-start 0
// says: reads before the start of A .*: element -1 of 8.* wraps around

__global__ void shift(const float* a, float* c) { c[threadIdx.x] = a[threadIdx.x - 1]; }  // before-the-start

torch::Tensor before_the_start(torch::Tensor A) {
    auto C = torch::empty_like(A);
    shift<<<1, A.numel()>>>(A.data_ptr<float>(), C.data_ptr<float>());
    return C;
}
