// What every wrapper needs: PyTorch's headers, checks that name the argument in their errors, and cdiv for
// the size of the grid.
//
//     torch::Tensor scale_rows(torch::Tensor A, torch::Tensor B) {
//         course::check_inputs({{A, "A"}, {B, "B"}}, torch::kFloat32);
//         course::check_dim({A, "A"}, 1);
//         course::check_dim({B, "B"}, 2);
//         course::check_shape({A, "A"}, {B.size(0)});
//         const at::cuda::OptionalCUDAGuard guard(device_of(A));
//         ...
//
// The guard makes A's GPU the current one until the wrapper returns. Without it, a kernel is
// launched on another GPU if the caller has made that one the current GPU.
//
// For PyTorch's own load_inline: extra_include_paths=[course.include_path()].
#pragma once
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <torch/types.h>

#include <initializer_list>

namespace course {

// a / b, rounded up: the number of blocks for a elements if each block has b threads.
constexpr int64_t cdiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

// A tensor and its name in errors.
struct Input {
    const at::Tensor& tensor;
    const char* name;
};
using Inputs = std::initializer_list<Input>;

// All inputs are on the same GPU.
inline void check_same_gpu(Inputs inputs) {
    for (const Input& input : inputs) {
        const Input& first = *inputs.begin();
        TORCH_CHECK(input.tensor.is_cuda(), input.name, " must be on the GPU, but is on ",
                    input.tensor.device());
        TORCH_CHECK(input.tensor.device() == first.tensor.device(), input.name,
                    " must be on the same GPU as ", first.name, ", which is ", first.tensor.device(),
                    ", but is on ", input.tensor.device());
    }
}

inline void check_dtype(Inputs inputs, at::ScalarType dtype) {
    for (const Input& input : inputs) {
        TORCH_CHECK(input.tensor.scalar_type() == dtype, input.name, " must have dtype ", dtype, ", but has ",
                    input.tensor.scalar_type());
    }
}

inline void check_contiguous(Inputs inputs) {
    for (const Input& input : inputs) {
        TORCH_CHECK(input.tensor.is_contiguous(), input.name, " must be contiguous");
    }
}

// What most kernels need: contiguous tensors of one dtype on the same GPU.
inline void check_inputs(Inputs inputs, at::ScalarType dtype) {
    check_same_gpu(inputs);
    check_dtype(inputs, dtype);
    check_contiguous(inputs);
}

inline void check_dim(const Input& input, int64_t dim) {
    TORCH_CHECK(input.tensor.dim() == dim, input.name, " must be ", dim, "-dimensional, but is ",
                input.tensor.dim(), "-dimensional");
}

inline void check_shape(const Input& input, at::IntArrayRef shape) {
    TORCH_CHECK(input.tensor.sizes() == shape, input.name, " must have shape ", shape, ", but has ",
                input.tensor.sizes());
}

}  // namespace course
