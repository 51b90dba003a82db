// A kernel that a macro declares launches another.
#include <torch/extension.h>
#define KERNEL __global__ void
KERNEL inner(float* c) { *c = 1; }
KERNEL outer(float* c) { inner<<<1, 1>>>(c); }
torch::Tensor f(torch::Tensor A) {
    outer<<<1, 1>>>(A.data_ptr<float>());
    return A;
}
