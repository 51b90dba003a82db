// Calls through pointers to the source's own functions and to library functions.
#include <torch/extension.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <sstream>

struct Shape {
    virtual double area(double x) const = 0;
    virtual ~Shape() = default;
};

struct Square : Shape {
    double area(double x) const override { return x * x; }
};

__device__ float twice(float x) { return 2 * x; }
__global__ void apply_kernel(float* x, float (*function)(float)) {
    x[threadIdx.x] = function(x[threadIdx.x]);
}

// Integers, floating-point numbers and arguments on the stack in one call.
double mixed(int a, double b, long c, float d, int e, int f, int g, double h, int i, int j, double k) {
    return a + b + c + d + e + f + g + h + i + j + k;
}

std::vector<double> through_pointers(torch::Tensor x, int64_t way) {
    double (*volatile of_the_library)(double, double) = std::pow;
    double (*volatile of_the_source)(int, double, long, float, int, int, int, double, int, int, double) =
        mixed;
    const std::function<double(double)> captured = [=](double y) { return y + way; };
    const std::unique_ptr<Shape> shape(new Square);
    const std::unique_ptr<void, void (*)(void*)> freed(malloc(8), free);
    void* memory = nullptr;
    cudaMalloc(&memory, 8);
    const std::shared_ptr<void> on_the_device(memory, cudaFree);
    std::vector<int> sorted{3, 1, 2};
    bool (*volatile less)(int, int) = [](int a, int b) { return a < b; };
    std::sort(sorted.begin(), sorted.end(), +less);
    std::ostringstream text;
    text << std::boolalpha << true << std::endl;
    apply_kernel<<<1, x.numel()>>>(x.data_ptr<float>(), twice);
    return {of_the_library(2, 10), of_the_source(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11),
            captured(1),           shape->area(3),
            double(sorted[0]),     double(text.str().size())};
}

int64_t out_of_the_source() {
    int (*volatile said)(const char*) = puts;
    return said("never said");
}
