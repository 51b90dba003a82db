// A kernel with printf; a test replaces CONVERSION with a conversion.
#include <torch/extension.h>
__global__ void kernel(int* c) {
    c[0] = 1;
    printf("%d%% %s %%n %5.2f\n", 7, "n", 2.0);
    printf("CONVERSION", 1, c, c, c);
}
torch::Tensor called(torch::Tensor A) {
    int length = 0;
    printf("wrapper%n\n", &length);
    TORCH_CHECK(length == 7);
    kernel<<<1, 1>>>(A.data_ptr<int>());
    return A;
}
