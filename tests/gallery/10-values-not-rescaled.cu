// The sum of the exponentials is rescaled when the maximum grows, but the sum of the values is not.
// task: attention
// refused by: emulator, nvcc
// says: The sum of the values is not rescaled when the maximum grows: multiply it by exp\(old maximum - new maximum\)

#include <course/checks.h>

constexpr int kDim = 64;

__global__ void attention_kernel(const float* Q, const float* K, const float* V, float* O, int64_t N, int64_t rows) {
    const int64_t row = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (row >= rows) {
        return;
    }
    const float* q = Q + row * kDim;
    const int64_t head = row / N * N;
    float max = -INFINITY, total = 0.0f, out[kDim] = {};
    for (int64_t j = 0; j < N; j++) {
        const float* k = K + (head + j) * kDim;
        const float* v = V + (head + j) * kDim;
        float score = 0.0f;
        for (int d = 0; d < kDim; d++) {
            score += q[d] * 0.125f * k[d];
        }
        const float highest = fmaxf(max, score);
        const float keep = expf(max - highest);
        const float p = expf(score - highest);
        total = total * keep + p;
        for (int d = 0; d < kDim; d++) {
            out[d] += p * v[d];
        }
        max = highest;
    }
    for (int d = 0; d < kDim; d++) {
        O[row * kDim + d] = out[d] / total;
    }
}

torch::Tensor attention(torch::Tensor Q, torch::Tensor K, torch::Tensor V) {
    course::check_inputs({{Q, "Q"}, {K, "K"}, {V, "V"}}, torch::kFloat32);
    course::check_dim({Q, "Q"}, 3);
    course::check_shape({Q, "Q"}, {Q.size(0), Q.size(1), kDim});
    course::check_shape({K, "K"}, Q.sizes());
    course::check_shape({V, "V"}, Q.sizes());
    torch::Tensor O = torch::empty_like(Q);
    const int64_t rows = Q.size(0) * Q.size(1);
    if (rows > 0) {
        attention_kernel<<<course::cdiv(rows, 64), 64>>>(Q.data_ptr<float>(), K.data_ptr<float>(), V.data_ptr<float>(),
                                                         O.data_ptr<float>(), Q.size(1), rows);
        C10_CUDA_KERNEL_LAUNCH_CHECK();
    }
    return O;
}
