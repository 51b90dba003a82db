// Includes a kernel from elsewhere on the machine, such as another student's.
// question: 00-add-check
// says: No such file or directory|file not found|does not have
// stopped by: sandbox
#include <torch/extension.h>

#include "{outside}"

torch::Tensor add(torch::Tensor A, torch::Tensor B) {
    torch::Tensor C = torch::empty_like(A);
    const int64_t N = A.numel();
    if (N) add_kernel<<<(N + 255) / 256, 256>>>(A.data_ptr<float>(), B.data_ptr<float>(), C.data_ptr<float>(), N);
    return C;
}
