// A function of the host calls itself without end.
// hazard: crash
// says: the wrapper used more stack than there is: endless recursion

int64_t halved(int64_t n) {
    volatile int64_t half = n / 2;
    return halved(half) + half;
}

torch::Tensor wrapper_recursion(torch::Tensor A) {
    TORCH_CHECK(halved(A.numel()) == 0);
    return A;
}
