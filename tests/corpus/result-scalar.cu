// at::Scalar as a result, and made of numbers of several types.
// call: scalar_of(0), scalar_of(1), scalar_of(2), scalar_of(3), scalar_of(4)
// gives: 2.5, 3, True, 0.5, 7
#include <torch/extension.h>

at::Scalar scalar_of(int64_t kind) {
    const c10::Half half = 0.5f;
    const bool flag = true;
    const size_t size = 7;
    if (kind == 0) return 2.5;
    if (kind == 1) return 3;
    if (kind == 2) return flag;
    TORCH_CHECK(at::Scalar(half).isFloatingPoint() && at::Scalar(flag).isBoolean() && at::Scalar(3).isIntegral(false));
    TORCH_CHECK(at::Scalar(3).type() == torch::kLong && at::Scalar(2.5f).to<float>() == 2.5f);
    if (kind == 3) return half;
    return static_cast<int64_t>(size);
}
