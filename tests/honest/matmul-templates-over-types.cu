// A template over the element type with extern __shared__ bytes that are cast to each type.
// task: transposed_matmul
#include <torch/extension.h>

template <typename T>
__device__ T* shared_memory() {
    extern __shared__ __align__(sizeof(double)) unsigned char bytes[];
    return reinterpret_cast<T*>(bytes);
}

template <typename scalar_t, int T>
__global__ void matmul_kernel(const scalar_t* A, const scalar_t* B, scalar_t* C, int M, int N, int K) {
    scalar_t* As = shared_memory<scalar_t>();
    scalar_t* Bs = As + T * T;
    const int tx = threadIdx.x, ty = threadIdx.y;
    scalar_t sum = 0;
    for (int k0 = 0; k0 < K; k0 += T) {
        const int i = blockIdx.y * T + tx, j = blockIdx.x * T + ty;
        As[ty * T + tx] = k0 + ty < K && i < M ? A[(k0 + ty) * M + i] : scalar_t(0);
        Bs[tx * T + ty] = k0 + tx < K && j < N ? B[j * K + k0 + tx] : scalar_t(0);
        __syncthreads();
        for (int k = 0; k < T; ++k) sum += As[k * T + ty] * Bs[k * T + tx];
        __syncthreads();
    }
    const int i = blockIdx.y * T + ty, j = blockIdx.x * T + tx;
    if (i < M && j < N) C[i * N + j] = sum;
}

torch::Tensor transposed_matmul(torch::Tensor A, torch::Tensor B) {
    constexpr int T = 8;
    const int K = A.size(0), M = A.size(1), N = B.size(0);
    auto C = torch::empty({M, N}, A.options());
    if (C.numel() == 0) return C;
    AT_DISPATCH_FLOATING_TYPES(A.scalar_type(), "transposed_matmul", [&] {
        matmul_kernel<scalar_t, T><<<dim3((N + T - 1) / T, (M + T - 1) / T), dim3(T, T), 2 * T * T * sizeof(scalar_t)>>>(
            A.data_ptr<scalar_t>(), B.data_ptr<scalar_t>(), C.data_ptr<scalar_t>(), M, N, K);
    });
    return C;
}
