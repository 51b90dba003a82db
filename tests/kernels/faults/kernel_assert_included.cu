// An assertion in a kernel fails, in a source that includes <cassert>.
// hazard: crash
// says: Assertion `n == 0` failed

#include <cassert>

__global__ void asserted_again(int n) { assert(n == 0); }

torch::Tensor kernel_assert_included(torch::Tensor A) {
    asserted_again<<<1, 32>>>(20);
    return A;
}
