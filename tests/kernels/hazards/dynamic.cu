// The launch gives one element of dynamic shared memory too few.
// size: 32
// hazard: out-of-bounds
// where: dynamic 31
// says: writes past the end of the dynamic shared memory: element 31 of 31

__global__ void dynamic_reach(float* c) {
    extern __shared__ float tile[];
    tile[threadIdx.x] = 1.0f;  // dynamic
    __syncthreads();
    c[threadIdx.x] = tile[threadIdx.x];
}

torch::Tensor dynamic(torch::Tensor A) {
    dynamic_reach<<<1, 32, 31 * sizeof(float)>>>(A.data_ptr<float>());
    return A;
}
