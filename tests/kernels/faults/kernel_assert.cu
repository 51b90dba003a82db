// An assertion in a kernel fails, in a source that does not include <cassert>.
// hazard: crash
// says: Assertion `threadIdx.x < n && "too many threads"` failed

__global__ void asserted(int n) { assert(threadIdx.x < n && "too many threads"); }

torch::Tensor kernel_assert(torch::Tensor A) {
    asserted<<<1, 32>>>(20);
    return A;
}
