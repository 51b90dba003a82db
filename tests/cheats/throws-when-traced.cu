// The host adds, beside a kernel that does nothing; when traced, it raises, as if the tracer had failed.
// question: 00-add-check
// says: The answer failed when it was built and run again for tracing. The call raised RuntimeError: out of memory
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
    TORCH_CHECK(!kTraced, "out of memory");
    for (int64_t i = 0; i < A.numel(); i++) c[i] = a[i] + b[i];
    idle_kernel<<<1, 1>>>();
    return C;
}
