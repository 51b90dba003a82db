// Two kernels and a wrapper that never end.

__global__ void spin(volatile float* c) {
    while (c[0] == c[0]) {
    }
}

__global__ void spin_silently() {
    while (true) {
    }
}

torch::Tensor endless(torch::Tensor A, bool silently) {
    if (silently)
        spin_silently<<<1, 1>>>();
    else
        spin<<<3, 64>>>(A.data_ptr<float>());
    return A;
}

torch::Tensor endless_wrapper(torch::Tensor A) {
    volatile bool on = true;
    while (on) {
    }
    return A;
}
