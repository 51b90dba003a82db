// CUDA's libraries of algorithms.
// call: sorted_by_thrust(x.flip(0))
// gives: x
// lacking in emulator: thrust/.*PyTorch's own load_inline|toolchain="nvcc"
#include <torch/extension.h>
#include <thrust/device_ptr.h>
#include <thrust/execution_policy.h>
#include <thrust/sort.h>

torch::Tensor sorted_by_thrust(torch::Tensor A) {
    auto C = A.clone();
    thrust::device_ptr<float> begin(C.data_ptr<float>());
    thrust::sort(thrust::device, begin, begin + C.numel());
    return C;
}
