// Lanes of a warp exchange values through shared memory without __syncwarp().
// size: 32
// hazard: race
// where: lane-stores 1, lane-loads 0
// says: missing between line {lane-stores} and line {lane-loads} \(a __syncwarp\(\) is enough if a single warp

__global__ void neighbours_lanes(float* c) {
    __shared__ float tile[32];
    tile[threadIdx.x] = c[threadIdx.x];      // lane-stores
    c[threadIdx.x] = tile[threadIdx.x ^ 1];  // lane-loads
}

torch::Tensor one_warp(torch::Tensor A) {
    neighbours_lanes<<<1, 32>>>(A.data_ptr<float>());
    return A;
}
