// A kernel adds to new memory that was never set to 0.
// size: 8
// hazard: uninitialised-read
// where: not-zeroed 0
// says: new memory holds old data

__global__ void add_to(const float* a, float* c) { c[threadIdx.x] += a[threadIdx.x]; }  // not-zeroed

torch::Tensor not_zeroed(torch::Tensor A) {
    auto C = torch::empty_like(A);
    add_to<<<1, A.numel()>>>(A.data_ptr<float>(), C.data_ptr<float>());
    return C;
}
