// Wrappers that never end, and one that fails with a large result.
#include <torch/extension.h>

#include <string>

__global__ void past_the_end(float* c, int n) { c[n] = 1.0f; }

torch::Tensor large(torch::Tensor A) {
    auto C = torch::empty_like(A);
    past_the_end<<<1, 1>>>(C.data_ptr<float>(), C.numel());
    return C;
}

torch::Tensor allocates_for_ever(torch::Tensor A) {
    volatile bool on = true;
    while (on) {
        std::vector<std::string> texts;
        for (int i = 0; i < 50; ++i) texts.push_back(std::string(100 + i * 37, 'x'));
    }
    return A;
}

__global__ void spin() {
    for (volatile int i = 0;; i = 0) {
    }
}

torch::Tensor goes_on_for_ever(torch::Tensor A) {
    try {
        spin<<<1, 1>>>();
    } catch (...) {
    }
    for (volatile int i = 0;; i = 0) {
    }
    return A;
}
