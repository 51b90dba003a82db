// Lanes synchronise with masks that do not agree.

__global__ void different_masks() {
    if (threadIdx.x % 2)
        __syncwarp(0xaaaaaaab);
    else
        __syncwarp(0x55555555);
    __syncthreads();
}

torch::Tensor masks_that_differ(torch::Tensor A) {
    different_masks<<<1, 32>>>();
    return A;
}
