// Each block adds to what the block before it has stored, without waiting for it.
// question: 06-partials-check
// hazards: uninitialised-read
// says: reads the new tensor
// stopped by: another order
#include <torch/extension.h>
__global__ void k(const float* dC, const float* B, volatile float* sums, float* out, int M, int64_t N,
                  int chunks) {
    const int row = blockIdx.y, c = blockIdx.x;
    __shared__ float part[256];
    float s = 0;
    for (int64_t j = int64_t(c) * 2048 + threadIdx.x; j < N && j < int64_t(c + 1) * 2048; j += 256)
        s += dC[row * N + j] * B[row * N + j];
    part[threadIdx.x] = s;
    __syncthreads();
    for (int h = 128; h; h /= 2) {
        if (threadIdx.x < h) part[threadIdx.x] += part[threadIdx.x + h];
        __syncthreads();
    }
    if (threadIdx.x) return;
    const float before = c ? sums[row * chunks + c - 1] : 0.f;  // no wait, no fence, no atomic
    sums[row * chunks + c] = before + part[0];
    if (c == chunks - 1) out[row] = before + part[0];
}
torch::Tensor row_dots(torch::Tensor dC, torch::Tensor B) {
    TORCH_CHECK(dC.is_cuda() && B.is_cuda() && dC.scalar_type() == torch::kFloat32 &&
                B.scalar_type() == torch::kFloat32 && dC.sizes() == B.sizes() && dC.dim() == 2 &&
                dC.is_contiguous() && B.is_contiguous());
    const int64_t M = dC.size(0), N = dC.size(1);
    if (!M || !N) return torch::zeros({M}, dC.options());
    auto out = torch::empty({M}, dC.options());
    const int chunks = (N + 2047) / 2048;
    auto sums = torch::empty({M, chunks}, dC.options());
    k<<<dim3(chunks, M), 256>>>(dC.data_ptr<float>(), B.data_ptr<float>(), sums.data_ptr<float>(),
                                out.data_ptr<float>(), M, N, chunks);
    return out;
}
