// Warp matrix products.
#include <course/mma.h>
#include <cuda_fp16.h>
#include <mma.h>

using namespace nvcuda;  // which the derived prototypes do not know

__device__ float halved(float x) { return x / 2; }
__device__ half halved(half x) { return __float2half(__half2float(x) / 2); }

// One tile: d = (a b + c) / 2, all with rows of 40 elements in memory.
template <int M, int N, int K, class T, class S, class D, class A, class B>
__global__ void wmma_tile(const S* a, const S* b, const D* c, D* d, nvcuda::wmma::layout_t layout) {
    wmma::fragment<wmma::matrix_a, M, N, K, T, A> of_a;
    wmma::fragment<wmma::matrix_b, M, N, K, T, B> of_b;
    wmma::fragment<wmma::accumulator, M, N, K, D> of_c;
    wmma::load_matrix_sync(of_a, a, 40);
    wmma::load_matrix_sync(of_b, b, 40);
    wmma::load_matrix_sync(of_c, c, 40, layout);
    wmma::mma_sync(of_c, of_a, of_b, of_c);
    for (int i = 0; i < of_c.num_elements; ++i) of_c.x[i] = halved(of_c.x[i]);
    wmma::store_matrix_sync(d, of_c, 40, layout);
}

template <int M, int N, int K, class T, class S, class D>
void wmma_layouts(int layouts, const void* a, const void* b, const void* c, void* d) {
    using nvcuda::wmma::col_major;
    using nvcuda::wmma::row_major;
    const auto launch = [&](auto kernel) {
        kernel<<<1, 32>>>((const S*)a, (const S*)b, (const D*)c, (D*)d,
                          layouts & 4 ? nvcuda::wmma::mem_col_major : nvcuda::wmma::mem_row_major);
    };
    switch (layouts & 3) {
        case 0:
            launch(wmma_tile<M, N, K, T, S, D, row_major, row_major>);
            break;
        case 1:
            launch(wmma_tile<M, N, K, T, S, D, col_major, row_major>);
            break;
        case 2:
            launch(wmma_tile<M, N, K, T, S, D, row_major, col_major>);
            break;
        case 3:
            launch(wmma_tile<M, N, K, T, S, D, col_major, col_major>);
            break;
    }
}

// Bits of `layouts`: whether a, b and c are stored by columns.
torch::Tensor wmma_product(torch::Tensor A, torch::Tensor B, torch::Tensor C, int64_t M, int64_t layouts) {
    auto D = torch::zeros_like(C);
    const void *a = A.data_ptr(), *b = B.data_ptr(), *c = C.data_ptr();
    void* d = D.data_ptr();
    if (A.scalar_type() == torch::kFloat) {
        wmma_layouts<16, 16, 8, nvcuda::wmma::precision::tf32, float, float>(layouts, a, b, c, d);
    } else if (C.scalar_type() == torch::kHalf) {
        if (M == 16) wmma_layouts<16, 16, 16, half, half, half>(layouts, a, b, c, d);
        if (M == 32) wmma_layouts<32, 8, 16, half, half, half>(layouts, a, b, c, d);
        if (M == 8) wmma_layouts<8, 32, 16, half, half, half>(layouts, a, b, c, d);
    } else {
        if (M == 16) wmma_layouts<16, 16, 16, half, half, float>(layouts, a, b, c, d);
        if (M == 32) wmma_layouts<32, 8, 16, half, half, float>(layouts, a, b, c, d);
        if (M == 8) wmma_layouts<8, 32, 16, half, half, float>(layouts, a, b, c, d);
    }
    return D;
}

// d = a b + c by the course's own mma: kind 0 is half, 1 is bfloat16, 2 is TF32, each with its bits in words.
__global__ void mma_tile(int kind, const int* a, const int* b, const float* c, float* d) {
    const int g = threadIdx.x / 4, h = threadIdx.x % 4;
    uint32_t of_a[4], of_b[2];
    for (int r = 0; r < 4; ++r) of_a[r] = a[(g + r % 2 * 8) * 8 + h + r / 2 * 4];
    for (int r = 0; r < 2; ++r) of_b[r] = b[g * 8 + h + r * 4];
    float sums[4];
    for (int n = 0; n < 4; ++n) sums[n] = c[(g + n / 2 * 8) * 8 + 2 * h + n % 2];
    if (kind == 0) course::mma_half(sums, of_a, of_b, sums);
    if (kind == 1) course::mma_bfloat16(sums, of_a, of_b, sums);
    if (kind == 2) course::mma_tf32(sums, of_a, of_b, sums);
    for (int n = 0; n < 4; ++n) d[(g + n / 2 * 8) * 8 + 2 * h + n % 2] = sums[n];
}

// A has rows of 8 words, and so has the transposed B.
torch::Tensor mma_product(int64_t kind, torch::Tensor A, torch::Tensor B, torch::Tensor C) {
    auto D = torch::empty_like(C);
    mma_tile<<<1, 32>>>(kind, A.data_ptr<int>(), B.data_ptr<int>(), C.data_ptr<float>(), D.data_ptr<float>());
    return D;
}
