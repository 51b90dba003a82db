// The threads read the tile before all of them have filled it.
// task: moving_average
// refused by: emulator
// hazards: race
// says: a race on the shared array tile.* a __syncthreads\(\) is missing between line \d+ and line \d+
#include <course/checks.h>

__global__ void average_kernel(const float* B, float* C, int64_t N) {
    __shared__ float tile[258];
    B += blockIdx.x * N;
    C += blockIdx.x * N;
    int t = threadIdx.x;
    for (int64_t first = 0; first < N; first += 256) {
        int64_t j = first + t;
        tile[t + 1] = j < N ? B[j] : 0;
        if (t == 0) tile[0] = j > 0 ? B[j - 1] : 0;
        if (t == 255) tile[257] = j + 1 < N ? B[j + 1] : 0;
        if (j < N) C[j] = (tile[t] + tile[t + 1] + tile[t + 2]) / 3;
        __syncthreads();
    }
}

torch::Tensor moving_average(torch::Tensor B) {
    course::check_inputs({{B, "B"}}, torch::kFloat32);
    torch::Tensor C = torch::empty_like(B);
    if (B.numel() > 0) average_kernel<<<B.size(0), 256>>>(B.data_ptr<float>(), C.data_ptr<float>(), B.size(1));
    return C;
}
