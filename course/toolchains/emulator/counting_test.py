"""A kernel whose traffic is derived by hand, by which it is told whether this machine's g++ lets it be counted."""

SOURCE = r"""
#include <torch/extension.h>

__global__ void counted_kernel(const float* a, float* c) {
    __shared__ float tile[96];
    const int i = threadIdx.x;  // of 48: a warp and half of one
    // 4 and 2 sectors. Stored at every other word, of which the first warp has two in a bank: 2 and 1 wavefronts.
    tile[2 * i] = a[i];
    __syncthreads();
    float sum = tile[2 * (47 - i)];  // the same words
    // In three rounds 24, 16 and 8 lanes of the first warp, 12, 8 and 4 of the second, spread over 4 and 2 sectors.
    for (int j = 0; j < i % 4; ++j) sum += a[64 * (j + 1) + i];
    if (i >= 40) return;
    // Two branches, with 16 lanes over 4 sectors each; in the second warp with 4 lanes in 1 sector each.
    if (i % 2) {
        sum *= a[256 + i];
    } else {
        sum += a[320 + i];
    }
    // 16 sectors and 4, in one piece.
    float4 v = reinterpret_cast<const float4*>(a)[i];
    v.x += sum;
    reinterpret_cast<float4*>(c)[i] = v;
}
torch::Tensor counted(torch::Tensor A) {
    auto C = torch::empty({160}, A.options());
    counted_kernel<<<1, 48>>>(A.data_ptr<float>(), C.data_ptr<float>());
    return C;
}
"""
ELEMENTS = 512  # of A
# Requests, units and ideal, by space, operation and bytes.
EXPECTED = {
    ("global", "load", 4): (2 + 6 + 4, 6 + 3 * (4 + 2) + 2 * (4 + 1), 6 + (3 + 2 + 1 + 2 + 1 + 1) + 2 * (2 + 1)),
    ("global", "load", 16): (2, 20, 20),
    ("global", "store", 16): (2, 20, 20),
    ("shared", "load", 4): (2, 3, 2),
    ("shared", "store", 4): (2, 3, 2),
}
