// Views and copies of a tensor, its properties, and where it is.
#include <c10/cuda/CUDAGuard.h>

torch::Tensor make(torch::Tensor A, std::string what, std::vector<int64_t> n) {
    if (what == "transpose") return A.transpose(n[0], n[1]);
    if (what == "t") return A.t();
    if (what == "unsqueeze") return A.unsqueeze(n[0]);
    if (what == "squeeze") return A.squeeze(n[0]);
    if (what == "narrow") return A.narrow(n[0], n[1], n[2]);
    if (what == "select") return A.select(n[0], n[1]);
    if (what == "view") return A.view(n);
    if (what == "reshape") return A.reshape(n);
    if (what == "flatten") return A.flatten();
    if (what == "contiguous") return A.contiguous();
    if (what == "clone") return A.clone();
    if (what == "double") return A.to(torch::kDouble);
    if (what == "half") return A.to(torch::kHalf);
    if (what == "int") return A.to(torch::kInt32);
    if (what == "zeros_like") return torch::zeros_like(A);
    if (what == "ones_like") return torch::ones_like(A);
    if (what == "row") return A[n[0]];
    if (what == "slice") return A.slice(n[0], n[1], n[2], n[3]);
    if (what == "size") return torch::full({1}, A.size(n[0]), torch::kInt64);
    if (what == "new_zeros") return torch::zeros(n, A.options());
    if (what == "item") return torch::full({1}, A.item<double>(), torch::kDouble);
    TORCH_CHECK(false, "no ", what);
}

torch::Tensor twice(torch::Tensor A, std::string first, std::vector<int64_t> m, std::string then,
                    std::vector<int64_t> n) {
    return make(make(A, first, m), then, n);
}

std::string facts(torch::Tensor A) {
    return c10::str(A.dim(), " ", A.numel(), " ", A.sizes(), " ", A.strides(), " ", A.is_contiguous(), " ",
                    A.element_size(), " ", A.nbytes(), " ", A.is_floating_point(), " ", A.dtype(), " ",
                    A.scalar_type(), " ", A.dtype() == torch::kFloat32, " ", A.scalar_type() != torch::kFloat,
                    " ", A.options().dtype() == A.dtype());
}

std::string printed() {
    return c10::str(2.5f, " ", 1e-7, " ", 1e8, " ", 1234567.0, " ", true, " ", 'c', " ", int64_t(-3), " ",
                    uint8_t(65), " ", std::string("s"), " ", torch::kFloat16, " ", at::IntArrayRef{}, " ",
                    torch::Device("cuda:1"), " ", torch::kCPU);
}

std::string place(torch::Tensor A) {
    return c10::str(A.device(), " ", A.is_cuda(), " ", A.is_cpu(), " ", A.device().type(), " ",
                    A.options().device());
}

torch::Tensor only_cuda(torch::Tensor A) {
    TORCH_CHECK(A.is_cuda(), "A must be a CUDA tensor, but is on ", A.device());
    const c10::cuda::CUDAGuard guard(A.device());
    return torch::empty_like(A);
}

torch::Tensor moved(torch::Tensor A, std::string where) { return A.to(torch::Device(where)); }

torch::Tensor made(torch::Tensor A, bool with_options) {
    return with_options ? torch::zeros({2}, A.options()) : torch::zeros({2});
}
