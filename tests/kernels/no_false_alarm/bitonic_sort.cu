// Bitonic sort.
// bitonic_sort: A.sort().values
// launch: 1, 128

__global__ void bitonic(const float* a, float* c, int n) {
    __shared__ float values[128];
    const int i = threadIdx.x;
    values[i] = i < n ? a[i] : INFINITY;
    __syncthreads();
    for (int length = 2; length <= 128; length *= 2) {
        for (int distance = length / 2; distance > 0; distance /= 2) {
            const int other = i ^ distance;
            if (other > i && (values[i] > values[other]) == ((i & length) == 0)) {
                const float mine = values[i];
                values[i] = values[other], values[other] = mine;
            }
            __syncthreads();
        }
    }
    if (i < n) c[i] = values[i];
}
