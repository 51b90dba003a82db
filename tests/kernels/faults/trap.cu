// One thread calls __trap().
// hazard: crash
// says: __trap() was called

__global__ void trapped() {
    if (threadIdx.x == 5) __trap();
}

torch::Tensor trap(torch::Tensor A) {
    trapped<<<1, 32>>>();
    return A;
}
