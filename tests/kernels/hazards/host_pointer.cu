// The kernel is given the address of a variable of the wrapper.
// size: 1
// hazard: out-of-bounds
// where: host-pointer 0
// says: a pointer to the host's memory

__global__ void from_the_host(const float* a, float* c) { *c = *a; }  // host-pointer

torch::Tensor host_pointer(torch::Tensor A) {
    auto C = torch::empty({1}, A.options());
    float scalar = 2.0f;
    from_the_host<<<1, 1>>>(&scalar, C.data_ptr<float>());
    return C;
}
