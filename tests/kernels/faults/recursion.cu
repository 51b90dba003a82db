// A device function calls itself without end.
// hazard: crash
// says: endless recursion

__device__ int deeper(int n, volatile int* from) {
    volatile int local[16] = {n};
    return n < 0 ? from[0] : deeper(n + 1, local) + local[0];
}

__global__ void recurse(float* c) { c[0] = deeper(0, nullptr); }

torch::Tensor recursion(torch::Tensor A) {
    recurse<<<1, 1>>>(A.data_ptr<float>());
    return A;
}
