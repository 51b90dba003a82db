// Functions of the C library in the wrapper: time, clock_gettime, isatty, snprintf, strtol, rand.
// task: vector_add
#include <torch/extension.h>
#include <cctype>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <unistd.h>

__global__ void add_kernel(const float* a, const float* b, float* c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}

static double seconds() {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec + 1e-9 * now.tv_nsec;
}

torch::Tensor add(torch::Tensor A, torch::Tensor B) {
    srand((unsigned)time(nullptr));
    const double start = seconds();
    char text[64] = "";
    strncpy(text, "256 threads", sizeof text - 1);
    const int threads = (int)strtol(text, nullptr, 10);
    auto C = torch::empty_like(A);
    int n = A.numel();
    if (n) add_kernel<<<(n + threads - 1) / threads, threads>>>(A.data_ptr<float>(), B.data_ptr<float>(), C.data_ptr<float>(), n);
    snprintf(text, sizeof text, "%.3f s, %d", seconds() - start, rand() % 10);
    text[0] = (char)toupper(text[0]);
    if (isatty(STDERR_FILENO)) fprintf(stderr, "%s\n", text);
    return C;
}
