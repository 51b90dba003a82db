// A debugging switch in the environment, std::chrono, std::string and a string stream.
// task: vector_add
#include <torch/extension.h>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <string>

__global__ void add_kernel(const float* a, const float* b, float* c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}

torch::Tensor add(torch::Tensor A, torch::Tensor B) {
    const char* debug = getenv("DEBUG");
    const char* size = std::getenv("BLOCK_SIZE");
    const int threads = size ? atoi(size) : 256;
    const auto start = std::chrono::steady_clock::now();
    auto C = torch::empty_like(A);
    if (int n = A.numel(); n > 0) {
        add_kernel<<<(n + threads - 1) / threads, threads>>>(A.data_ptr<float>(), B.data_ptr<float>(),
                                                              C.data_ptr<float>(), n);
    }
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    if (debug && strcmp(debug, "1") == 0) {
        std::ostringstream text;
        text << "add of " << A.numel() << " elements: " << took.count() << " s";
        std::string line = text.str();
        printf("%s\n", line.c_str());
    }
    return C;
}
