// Calls in some rounds of a loop, of some lanes.
// why: In each round, lanes that skip the call wait for those that make it, so the next loads are one request.
// elements: 128
// launch: 1, 32
// global load 4: 4 requests, 16 sectors, ideal 16
// shared store 4: 1 requests, 1 wavefronts, ideal 1
// shared atomic 4: 4 requests, 4 wavefronts, ideal 4

__global__ void called_in_a_loop_kernel(const float* A, float* C, int N) {
    __shared__ float own[32];
    own[threadIdx.x] = 0.0f;
    for (int i = threadIdx.x; i < N; i += 32) {
        const float a = A[i];
        if ((i * 7 + i / 32) % 3) {
            atomicAdd(&own[threadIdx.x], a);
        }
    }
}
