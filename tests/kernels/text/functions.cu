// Functions of many forms, and text that only looks like one.

// clang-format off
#include <torch/extension.h>
#define SQUARE(x) ((x) * (x))   // int fake(int a) { return a; }
#define MAKE(name) \
    int name(int a) { return a; }
/* torch::Tensor commented(torch::Tensor A) { return A; } */
const char* text = "torch::Tensor quoted(torch::Tensor A) { return A; }";
template <typename T, int N = (3 > 2 ? 4 : 5)>
__global__ void __launch_bounds__(N * (1 + 1), 2)
kernel(const T* __restrict__ a, T* c) { if (a) { c[0] = a[0]; } }
static __device__ __forceinline__ float helper(float x) { return x; }
torch::Tensor declared(torch::Tensor A);
torch::Tensor plain(torch::Tensor A, int n = 3, std::vector<int64_t> v = {1, 2}, double x = 1.0 /* , */) {
    auto inner = [&](int a) { return a; };
    for (int i = 0; i < n; ++i) { if (inner(i)) break; }
    return A;
}
std::vector<torch::Tensor>
several(
    const torch::Tensor& A,   // the first, of two
    std::optional<torch::Tensor> B = std::nullopt)
{
    return {A};
}
auto trailing(torch::Tensor A) -> torch::Tensor { return A; }
extern "C" torch::Tensor linked(torch::Tensor A) { return A; }
extern "C" {
torch::Tensor in_block(torch::Tensor A) { return A; }
}
namespace inside {
torch::Tensor nested(torch::Tensor A) { return A; }
struct S {
    torch::Tensor method(torch::Tensor A) const { return A; }
    __device__ float operator()(float x) const { return x; }
    S(int a) : a_(a) {}
    int a_;
};
}  // namespace inside
inline int cdiv(int a, int b) { return (a + b - 1) / b; }
static torch::Tensor hidden(torch::Tensor A) { return A; }
float* raw(const torch::Tensor& A) { return A.data_ptr<float>(); }
void launch(torch::Tensor A, cudaStream_t stream) {}
void in_place(torch::Tensor A) noexcept {}
__host__ torch::Tensor on_the_host(torch::Tensor A) { return A; }
