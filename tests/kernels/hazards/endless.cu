// A kernel that never ends.

__global__ void spin(volatile float* c) {
    while (c[0] == c[0]) {
    }
}

torch::Tensor endless(torch::Tensor A) {
    spin<<<1, 64>>>(A.data_ptr<float>());
    return A;
}
