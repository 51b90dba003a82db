// memcpy in a kernel copies one element too many.
// size: 8
// hazard: out-of-bounds
// where: copied-too-far 0
// says: reads past the end of A of shape

__global__ void copy_all(const float* a, float* c, int n) {
    memcpy(c, a, n * sizeof(float));  // copied-too-far
}

torch::Tensor copied_too_far(torch::Tensor A) {
    auto C = torch::empty({A.numel() + 1}, A.options());
    copy_all<<<1, 1>>>(A.data_ptr<float>(), C.data_ptr<float>(), A.numel() + 1);
    return C;
}
