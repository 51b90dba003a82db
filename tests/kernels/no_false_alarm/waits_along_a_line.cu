// Lane 2 waits for lane 1, which has waited for lane 0.
// waits_along_a_line: A[0]

__global__ void pass_along(const float* a, float* c, int n) {
    __shared__ float value;
    const int lane = threadIdx.x;
    if (lane == 0) value = a[0];
    if (lane < 2) __syncwarp(0b011u);
    if (lane >= 1) __syncwarp(0b110u);
    if (lane == 2) *c = value;
}
torch::Tensor waits_along_a_line(torch::Tensor A) {
    auto C = torch::empty({1}, A.options());
    pass_along<<<1, 3>>>(A.data_ptr<float>(), C.data_ptr<float>(), A.numel());
    return C;
}
