// The host adds what a kernel has stored in a variable. The C++ library reads it there, without a hook.
// question: 00-add-check
// says: elements of the output are wrong
// stopped by: hidden variables
#include <torch/extension.h>

#include <string>

struct Floats {
    float v[4096];
};
__device__ Floats window;

__global__ void show(const float* from, int count) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) window.v[i] = from[i];
}
__global__ void put(Floats sums, float* to, int count) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) to[i] = sums.v[i];
}
Floats read(const float* from, int count) {
    Floats found;
    std::string bytes;
    show<<<16, 256>>>(from, count);
    bytes.append(reinterpret_cast<const char*>(&window), sizeof window);
    memcpy(&found, bytes.data(), sizeof found);
    return found;
}
torch::Tensor add(torch::Tensor A, torch::Tensor B) {
    torch::Tensor C = torch::empty_like(A);
    for (int64_t at = 0; at < A.numel(); at += 4096) {
        const int count = std::min<int64_t>(4096, A.numel() - at);
        Floats sums = read(A.data_ptr<float>() + at, count);
        const Floats others = read(B.data_ptr<float>() + at, count);
        for (int i = 0; i < count; i++) sums.v[i] += others.v[i];
        put<<<16, 256>>>(sums, C.data_ptr<float>() + at, count);
    }
    return C;
}
