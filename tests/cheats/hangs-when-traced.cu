// The host adds, beside a kernel that does nothing; when traced, it never ends, as if it were only slow.
// question: 00-add-hidden
// hazards: timeout
// says: When the answer was traced: Timeout
// stopped by: right when traced
#include <torch/extension.h>

// The traced build elides no copies, so a source can tell that it is traced.
struct Moved {
    int times = 0;
    Moved() = default;
    Moved(Moved&& other) : times(other.times + 1) {}
};
static Moved moved() {
    Moved local;
    return local;
}
static const bool kTraced = moved().times > 0;

__global__ void idle_kernel() {}

torch::Tensor add(torch::Tensor A, torch::Tensor B) {
    torch::Tensor C = torch::empty_like(A);
    const float *a = A.data_ptr<float>(), *b = B.data_ptr<float>();
    float* c = C.data_ptr<float>();
    for (volatile bool more = kTraced; more;);
    for (int64_t i = 0; i < A.numel(); i++) c[i] = a[i] + b[i];
    idle_kernel<<<1, 1>>>();
    return C;
}
