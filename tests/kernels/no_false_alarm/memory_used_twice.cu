// The same shared memory, first as int, then as float.
// memory_used_twice: with_neighbours_sign(A)
// launch: 1, 128, 512

__global__ void used_twice(const float* a, float* c, int n) {
    extern __shared__ unsigned char memory[];
    int* signs = reinterpret_cast<int*>(memory);
    float* halves = reinterpret_cast<float*>(memory);
    const int i = threadIdx.x;
    signs[i] = i < n && a[i] < 0 ? -1 : 1;
    __syncthreads();
    const int neighbour = signs[i ^ 1];
    __syncthreads();
    halves[i] = i < n ? a[i] / 2 : 0.0f;
    __syncthreads();
    if (i < n) c[i] = neighbour * halves[i];
}
