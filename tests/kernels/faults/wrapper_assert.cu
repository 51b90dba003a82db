// An assertion in a wrapper fails.
// hazard: crash
// says: Assertion `A.numel() == 0` failed

torch::Tensor wrapper_assert(torch::Tensor A) {
    assert(A.numel() == 0);
    return A;
}
