// Copies to shared memory, which have arrived after the wait for their batch.
#include <cuda_pipeline.h>

__global__ void copied_later(const float* a, float* c) {
    __shared__ __align__(16) float tile[3][128];
    float* mine[] = {&tile[0][4 * threadIdx.x], &tile[1][4 * threadIdx.x], &tile[2][4 * threadIdx.x]};
    for (float* place : mine) place[0] = place[1] = place[2] = place[3] = -1.0f;
    const auto look = [&](int row) {
        for (int i = 0; i < 12; ++i) c[(row * 32 + threadIdx.x) * 12 + i] = mine[i / 4][i % 4];
    };
    __pipeline_memcpy_async(mine[0], &a[4 * threadIdx.x], 16);
    __pipeline_commit();
    __pipeline_memcpy_async(mine[1], &a[4 * threadIdx.x], 16, 8);
    __pipeline_memcpy_async(mine[1] + 2, &a[4 * threadIdx.x], 4);
    __pipeline_commit();
    __pipeline_memcpy_async(mine[2], a, 16, 16);  // never committed
    look(0);
    __pipeline_wait_prior(1);
    look(1);
    __pipeline_wait_prior(0);
    look(2);
}

torch::Tensor asynchronous(torch::Tensor A) {
    auto C = torch::empty({3, 32, 12}, A.options());
    copied_later<<<1, 32>>>(A.data_ptr<float>(), C.data_ptr<float>());
    return C;
}

__global__ void copied_by_threes(const float* a) {
    __shared__ float tile[1];
    __pipeline_memcpy_async(tile, a, 3);
}

__global__ void copied_from_within(const float* a) {
    __shared__ alignas(16) float tile[4];
    __pipeline_memcpy_async(tile, a + 1, 16);
}

torch::Tensor misaligned_copy(torch::Tensor A) {
    copied_from_within<<<1, 1>>>(A.data_ptr<float>());
    return A;
}

torch::Tensor three_bytes(torch::Tensor A) {
    copied_by_threes<<<1, 1>>>(A.data_ptr<float>());
    return A;
}
