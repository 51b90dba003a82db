// Lane 2 reads what lane 0 stores, but they never meet at the same __syncwarp().
// size: 8
// hazard: race
// where: passed-load 2, passed-store 0
// says: if a single warp runs this

// Lanes 1 and 2 meet, but before lane 0 meets lane 1.
__global__ void pass_too_early(float* c) {
    __shared__ float value;
    const int lane = threadIdx.x;
    if (lane >= 1) __syncwarp(0b110u);
    if (lane == 0) value = c[0];  // passed-store
    if (lane < 2) __syncwarp(0b011u);
    if (lane == 2) c[1] = value;  // passed-load
}

torch::Tensor passed_too_early(torch::Tensor A) {
    pass_too_early<<<1, 3>>>(A.data_ptr<float>());
    return A;
}
