// The loop is in a device function.
// why: All lanes load a[0], then 8 lanes load a[1] and a[2].
// elements: 32
// launch: 1, 32
// global load 4: 3 requests, 3 sectors, ideal 3
// global store 4: 1 request, 4 sectors, ideal 4

__device__ float sum_of(const float* a, int count) {
    float sum = 0;
    while (count-- > 0) sum += *a++;
    return sum;
}
__global__ void loop_in_a_function_kernel(const float* a, float* c, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    c[i] = sum_of(a, i < 8 ? 3 : 1);
}
