// Exceptions of every kind.
#include <ATen/cuda/CUDAContext.h>

void fail(torch::Tensor A, int64_t how) {
    switch (how) {
        case 0:
            TORCH_CHECK(A.numel() == 0);
            break;
        case 1:
            TORCH_CHECK(false, "sizes ", A.sizes(), ", dtype ", A.dtype(), ", number ", 2.5);
            break;
        case 2:
            TORCH_CHECK_INDEX(false, "index");
            break;
        case 3:
            TORCH_CHECK_VALUE(false, "value");
            break;
        case 4:
            TORCH_CHECK_TYPE(false, "type");
            break;
        case 5:
            TORCH_CHECK_NOT_IMPLEMENTED(false, "not implemented");
            break;
        case 6:
            throw std::runtime_error("runtime");
        case 7:
            throw std::invalid_argument("invalid");
        case 8:
            throw 7;
        case 9:
            AT_ERROR("at error ", 3);
        case 10:
            A.data_ptr<double>();
            break;
        case 11:
            C10_CUDA_CHECK(cudaErrorMemoryAllocation);
            break;
    }
}
