// The host adds, beside a kernel that does nothing; when traced, it never ends, as if it were only slow.
// question: 00-add-hidden
// hazards: timeout
// says: When the answer was traced: Timeout
// stopped by: right when traced
#include <torch/extension.h>

// The traced build is compiled without optimisation first, where no two variables share their place on the stack. So a
// source can tell that it is traced.
static bool are_apart() {
    volatile uintptr_t places[2];
    {
        volatile int one[8];
        one[0] = 1;
        places[0] = reinterpret_cast<uintptr_t>(&one);
    }
    {
        volatile int another[8];
        another[0] = 1;
        places[1] = reinterpret_cast<uintptr_t>(&another);
    }
    return places[0] != places[1];
}
static const bool kTraced = are_apart();

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
