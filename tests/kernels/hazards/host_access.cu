// The wrapper reads a tensor's elements.
// size: 3
// hazard: host-access
// where: host-access 0
// says: of the wrapper reads A

torch::Tensor host_access(torch::Tensor A) {
    float sum = 0;
    for (int i = 0; i < A.numel(); ++i) sum += A.data_ptr<float>()[i];  // host-access
    TORCH_CHECK(sum == sum);
    return A;
}
