// The address of a tensor is kept, but not the tensor.
// size: 50
// hazard: out-of-bounds
// where: of-no-tensor 0
// says: writes memory that no longer exists: the new tensor of shape \(50,\);

__global__ void of_no_tensor(float* c, int n) {
    if (threadIdx.x < n) c[threadIdx.x] = 1;  // of-no-tensor
}

torch::Tensor tensor_gone(torch::Tensor A) {
    float* memory = torch::empty_like(A).data_ptr<float>();
    of_no_tensor<<<1, 64>>>(memory, A.numel());
    return A;
}
