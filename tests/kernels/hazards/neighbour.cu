// The last thread stores past the end of its shared array, into the next one.
// size: 32
// hazard: out-of-bounds
// where: neighbour 31
// says: uses index 32 in an array of type 'float\[32\]'

__global__ void into_the_neighbour(float* c) {
    __shared__ float first[32], second[32];
    first[threadIdx.x + 1] = 1.0f;  // neighbour
    second[threadIdx.x] = 2.0f;
    __syncthreads();
    c[threadIdx.x] = first[threadIdx.x] + second[threadIdx.x];
}

torch::Tensor neighbour(torch::Tensor A) {
    into_the_neighbour<<<1, 32>>>(A.data_ptr<float>());
    return A;
}
