// Launches of many forms, and text that only looks like one.

// clang-format off
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
// a comment with a launch: add<<<1, 1>>>(a, b);
/* and another: add<<<1,
   1>>>(a); */
#define CEIL(a, b) (((a) + (b)-1) / (b))
#define LAUNCH(kernel, n, ...) \
    kernel<<<CEIL(n, 32), \
             32>>>(__VA_ARGS__)
#define HD __host__ __device__
#define KERNEL __global__ void
HD inline float half_of(float x) { return x / 2; }
namespace outer {
namespace {
template <typename T, int N, bool kFlag>
__global__ void scale(const T* a, T* c, int n) {
    const int i = blockIdx.x * N + threadIdx.x;
    if (i < n) c[i] = a[i] * (kFlag ? T(2) : T(3));
}
}  // namespace
template <typename T>
__global__ void copy(const T* a, T* c, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i];
}
}  // namespace outer
__global__ void add(float* c, float x, int n);
__global__ void add_twice(float* c, float x, int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) c[i] += 2 * x;
}
KERNEL halve(float* c, int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) c[i] = half_of(c[i]);
}
struct Launcher {
    void (*kernel)(float*, float, int);
    int threads = 64;
    void operator()(float* c, float x, int n) const { kernel<<<1, threads>>>(c, x, n); }
};
template <typename T>
void launch_copy(const T* a, T* c, int n) {
    constexpr int threads = sizeof(T) > 4 ? 64 : 32;
    if (n > 0) outer::copy<T><<<(n + threads - 1) / threads, threads>>>(a, c, n);
    else return;
}
torch::Tensor add(torch::Tensor A, double x) {  // overloads the kernel
    auto C = torch::empty_like(A);
    const char* message = "add<<<1, 1>>>(nothing)";
    const char* raw = R"(a "raw" <<< string)"; const char quote = '"', less = '<';
    const int n = A.numel() + 0 * (message[0] + raw[0] + quote + less);
    AT_DISPATCH_FLOATING_TYPES(A.scalar_type(), "add", ([&] {
        outer::copy<scalar_t>
            <<<dim3(CEIL(n, 128)),
               dim3(128, 1),
               0,
               at::cuda::getCurrentCUDAStream()>>>  // the stream
            (A.data_ptr<scalar_t>(),
             C.data_ptr<scalar_t>(),  // the output
             n /* its length */);
    }));
    float* c = C.data_ptr<float>();
    add<<<1, 32>>>(c, x, n);
    (n % 2 ? (void (*)(float*, float, int))add : add_twice)<<<1, 32>>>(c, 1, n);
    void (*chosen)(float*, float, int) = add;
    chosen<<<1, 32>>>(c, 1.0f, n);
    void (*table[])(float*, float, int) = {add, add_twice};
    table[1]<<<1, 32>>>(c, 1.0f, n);
    const Launcher launcher{add};
    launcher(c, 1.0f, n);
    launcher.kernel<<<1, launcher.threads>>>(c, 1.0f, n);
    const auto lambda = [=](float y) { add<<<1, 32>>>(c, y, n); };
    lambda(1.0f);
    LAUNCH(add_twice, 1, c, -0.5f, n);
    if (n >= 0) halve<<<1, 1>>>(c, n);
    return C;
}
__global__ void add(float* c, float x, int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) c[i] += x;
}
torch::Tensor scaled(torch::Tensor A) {
    auto C = torch::empty_like(A);
    constexpr int N = 32;
    const int n = A.numel();
    outer::scale<float, N, (N > 16)><<<CEIL(n, N), N>>>(A.data_ptr<float>(), C.data_ptr<float>(), n);
    outer::scale
        <float,  // the type
         N,
         false>
        <<<CEIL(n, N), N>>>(C.data_ptr<float>(), C.data_ptr<float>(), n);
    launch_copy<float>(C.data_ptr<float>(), C.data_ptr<float>(), n);
    return C;
}
