// A store through a null pointer.
// hazard: out-of-bounds
// says: the kernel used a null pointer

__global__ void store_at_null(float* c) { *c = 1.0f; }
torch::Tensor at_null(torch::Tensor A) {
    store_at_null<<<1, 1>>>(nullptr);
    store_at_null<<<1, 1>>>(NULL);
    return A;
}
