// The causal mask begins one key too late, so each query also sees the key after its own place.
// task: attention_causal_any
// refused by: emulator, nvcc
// says: The mask begins one key too late: query i also sees key i \+ 1

#include <course/checks.h>

constexpr int kDim = 64;
constexpr int kTile = 64;  // keys in a tile, and queries of a block

__global__ void attention_kernel(const float* Q, const float* K, const float* V, float* O, int N) {
    __shared__ float Ks[kTile][kDim], Vs[kTile][kDim];
    const int64_t head = static_cast<int64_t>(blockIdx.y) * N * kDim;
    const int i0 = blockIdx.x * kTile;
    const int i = i0 + threadIdx.x;
    float max = -INFINITY, total = 0.0f, q[kDim], out[kDim] = {};
    for (int d = 0; d < kDim; d++) {
        q[d] = i < N ? Q[head + i * kDim + d] * 0.125f : 0.0f;
    }
    for (int j0 = 0; j0 < min(N, i0 + kTile); j0 += kTile) {
        for (int e = threadIdx.x; e < kTile * kDim; e += kTile) {
            const bool inside = j0 + e / kDim < N;
            Ks[e / kDim][e % kDim] = inside ? K[head + j0 * kDim + e] : 0.0f;
            Vs[e / kDim][e % kDim] = inside ? V[head + j0 * kDim + e] : 0.0f;
        }
        __syncthreads();
        for (int j = 0; j < kTile; j++) {
            float score = 0.0f;
            for (int d = 0; d < kDim; d++) {
                score += q[d] * Ks[j][d];
            }
            if (j0 + j > i + 1 || j0 + j >= N) {
                score = -INFINITY;
            }
            const float highest = fmaxf(max, score);
            const float keep = expf(max - highest);
            const float p = expf(score - highest);
            max = highest;
            total = total * keep + p;
            for (int d = 0; d < kDim; d++) {
                out[d] = out[d] * keep + p * Vs[j][d];
            }
        }
        __syncthreads();
    }
    if (i < N) {
        for (int d = 0; d < kDim; d++) {
            O[head + i * kDim + d] = out[d] / total;
        }
    }
}

torch::Tensor causal(torch::Tensor Q, torch::Tensor K, torch::Tensor V) {
    course::check_inputs({{Q, "Q"}, {K, "K"}, {V, "V"}}, torch::kFloat32);
    course::check_dim({Q, "Q"}, 3);
    course::check_shape({Q, "Q"}, {Q.size(0), Q.size(1), kDim});
    course::check_shape({K, "K"}, Q.sizes());
    course::check_shape({V, "V"}, Q.sizes());
    torch::Tensor O = torch::empty_like(Q);
    const int N = Q.size(1);
    const dim3 grid((N + kTile - 1) / kTile, Q.size(0));
    if (O.numel() > 0) {
        attention_kernel<<<grid, kTile>>>(Q.data_ptr<float>(), K.data_ptr<float>(), V.data_ptr<float>(),
                                          O.data_ptr<float>(), N);
        C10_CUDA_KERNEL_LAUNCH_CHECK();
    }
    return O;
}
